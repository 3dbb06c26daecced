import { BatonError, type AgentDefinition } from '@baton/contracts';
import { route, runCatalog, type Route, type RouteInput } from '@baton/router-cost';
import { reservationFor } from '@baton/task-store';
import {
  agentByAlias,
  agentEnvironment,
  checkAgent,
  costTellers,
  installedAgents,
  knownAgents,
} from '@baton/spawner';

import type { Call } from '../terminal/call.ts';
import { nearest } from '../terminal/nearest.ts';
import { shellLine } from '../plan/shell-line.ts';

/** An agent that a plan uses. */
export interface AgentUse {
  /** Name in the plan, or `inline` for one that a step defines itself. */
  name: string;
  /** Null: its own default, or a command that has none. */
  model: string | null;
  effort: 'low' | 'medium' | 'high' | null;
  /** Why it was chosen. */
  reasons: string[];
  tasks: string[];
}

/** What decides on agents: the tasks, and what the run says. */
export interface AgentQuestion {
  tasks: readonly (RouteInput['task'] & { key: string; maxCostMicroUsd: number | null })[];
  run: RouteInput['run'];
  budgetMicroUsd: number | null;
}

/**
 * Makes sure, before anything is claimed, that every task has an agent that is installed, may be logged in, has all variables that it
 * is given and can be paid for. It asks the same router as the worker will.
 * @throws AGENT_UNKNOWN, AGENT_MISSING, AGENT_NOT_LOGGED_IN, CONFIG_INVALID, PRICE_UNKNOWN, BUDGET_EXCEEDED
 */
export async function checkAgents(call: Pick<Call, 'env'>, question: AgentQuestion): Promise<AgentUse[]> {
  const { uses, problems } = await lookAtAgents(call, question);
  if (problems[0] !== undefined) throw problems[0];
  return uses;
}

/**
 * As {@link checkAgents}, with everything that is wrong and the route of each task, by its key. A problem of several
 * tasks is reported for the first of them.
 */
export async function lookAtAgents(
  { env }: Pick<Call, 'env'>,
  { tasks, run, budgetMicroUsd }: AgentQuestion,
): Promise<{ uses: AgentUse[]; problems: BatonError[]; routes: Map<string, Route> }> {
  const installed = await installedAgents({ env: env.all });
  const catalog = runCatalog(run.routing);
  const tellers = costTellers.filter((name) => !Object.hasOwn(run.agents, name));
  const uses = new Map<string, AgentUse>();
  const routes = new Map<string, Route>();
  const problems = new Map<string, BatonError>();
  for (const task of tasks) {
    try {
      const named = task.agent ?? roleAgent(run.routing, task.role) ?? run.defaultAgent;
      if (named !== null) checkNamed(named, { task: task.key, agents: run.agents, env: env.all });
      const budget = {
        ...{ capMicroUsd: budgetMicroUsd, spentMicroUsd: 0, reservedMicroUsd: 0 },
        reservationMicroUsd: reservationFor(task, budgetMicroUsd),
      };
      const decision = route({ task, run, installed, history: [], budget, catalog, costTellers: tellers });
      if (!decision.ok) {
        const { code, message, fix } = decision;
        throw named === null && code === 'AGENT_MISSING'
          ? nobody(task.key, { installed, env: env.all })
          : new BatonError(code, message, { at: task.key, fix });
      }
      routes.set(task.key, decision);
      const { agentName: name, model, effort, reasons } = decision;
      const key = JSON.stringify([name, model, effort]);
      const known = uses.get(key);
      if (known) known.tasks.push(task.key);
      else uses.set(key, { name, model, effort, reasons, tasks: [task.key] });
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const key = `${error.code} ${error.message.replaceAll(task.key, '')}`;
      if (!problems.has(key)) problems.set(key, error);
    }
  }
  return { uses: [...uses.values()], problems: [...problems.values()], routes };
}

function checkNamed(
  agent: string | AgentDefinition,
  {
    task,
    agents,
    env,
  }: { task: string; agents: RouteInput['run']['agents']; env: Readonly<Record<string, string>> },
): void {
  if (typeof agent !== 'string') return checkDefinition({ name: `of ${task}`, definition: agent, env, task });
  const definition = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (definition === undefined && !knownAgents.includes(agent)) {
    const known = [...Object.keys(agents), ...knownAgents];
    const meant = agentByAlias(agent) ?? nearest(agent, known);
    throw new BatonError(
      'AGENT_UNKNOWN',
      `There is no agent "${agent}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
      {
        at: task,
        fix: `Use one of ${known.join(', ')}, or define "${agent}" under "agents".`,
      },
    );
  }
  checkDefinition({ name: agent, definition: definition ?? null, env, task });
}

/** An agent's program, login and variables, told with the task that needs it. */
function checkDefinition({
  task,
  ...agent
}: Parameters<typeof checkAgent>[0] & { task: string; env: Readonly<Record<string, string>> }): void {
  try {
    refuseShellLine(agent.definition);
    checkAgent(agent);
    if (agent.definition !== null) agentEnvironment({ base: agent.env, definition: agent.definition });
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    const { code, message, fix, details } = error;
    const at = code === 'CONFIG_INVALID' ? `${task}, ${error.at ?? 'agent'}` : task;
    throw new BatonError(code, message, { at, details, cause: error, ...(fix === undefined ? {} : { fix }) });
  }
}

function refuseShellLine(definition: AgentDefinition | null): void {
  const argv =
    definition === null || 'in_process' in definition
      ? []
      : 'acp' in definition
        ? definition.acp
        : definition.command;
  const wrong = shellLine(argv);
  if (wrong !== null) throw new BatonError('PLAN_INVALID', wrong.message, { fix: wrong.fix });
}

/** The role table of a run as the router reads it; it has been checked where it was loaded. */
function roleAgent(routing: unknown, role: string): string | null {
  const roles = (routing as { roles?: Record<string, { agent?: string }> } | null)?.roles ?? {};
  return Object.hasOwn(roles, role) ? (roles[role]?.agent ?? null) : null;
}

function nobody(
  task: string,
  {
    installed,
    env,
  }: { installed: Awaited<ReturnType<typeof installedAgents>>; env: Readonly<Record<string, string>> },
): BatonError {
  const programs = installed.filter((agent) => agent.needsModel !== true);
  const [present] = programs;
  if (present) {
    const found = programs.map((agent) => agent.name).join(', ');
    return new BatonError(
      'AGENT_NOT_LOGGED_IN',
      `No agent is ready for ${task}: ${found} ${programs.length > 1 ? 'are' : 'is'} installed but not logged in.`,
      {
        fix: present.fix ?? 'Log in to it.',
      },
    );
  }
  const hints = knownAgents.slice(0, 4).map((name) => `  ${name}: ${howToGet(name, env)}`);
  return new BatonError('AGENT_MISSING', `No agent is installed that could do ${task}.`, {
    fix: [
      'install one of these and log in, or give the step an agent of your own ({ command: [...] }):',
      ...hints,
    ].join('\n'),
  });
}

/** The spawner knows how each agent is installed, and says so when it is asked for one that is missing. */
function howToGet(name: string, env: Readonly<Record<string, string>>): string {
  try {
    checkAgent({ name, definition: null, env });
    return '';
  } catch (error) {
    return BatonError.is(error) ? (error.fix ?? '') : '';
  }
}
