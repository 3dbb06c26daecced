import type { AgentDefinition, Routing } from '@baton/contracts';
import type { NoRoute, RouteInput } from './route-types.ts';

/** The agent of a task with why it was chosen. */
export interface ChosenAgent {
  ok: true;
  name: string;
  definition: AgentDefinition | null;
  reason: string;
}

/** Ends that another agent would perhaps not have met: its provider is another. */
const ofProvider: ReadonlySet<string> = new Set(['rate_limited', 'parked', 'provider_down']);

/**
 * The agent that the task names, else that of the role table, else the run's default, else the first one that is ready on
 * this machine (another than the one whose provider failed or limited it last, if there is another), else the only one of the plan.
 */
export function chooseAgent(input: RouteInput, routing: Routing): ChosenAgent | NoRoute {
  const { task, run } = input;
  if (task.agent !== null) return byReference(input, task.agent, 'the task names it');
  const ofRole = Object.hasOwn(routing.roles, task.role) ? routing.roles[task.role]?.agent : undefined;
  if (ofRole !== undefined) return byReference(input, ofRole, `the role table gives it to "${task.role}"`);
  if (run.defaultAgent !== null) return byReference(input, run.defaultAgent, 'it is the default of the run');
  return anyReady(input, routing) ?? onlyDefined(input) ?? nobody(input);
}

function byReference(input: RouteInput, agent: string | AgentDefinition, why: string): ChosenAgent | NoRoute {
  if (typeof agent !== 'string')
    return { ok: true, name: 'inline', definition: agent, reason: `agent defined in place: ${why}` };
  const reason = `agent ${agent}: ${why}`;
  const definition = Object.hasOwn(input.run.agents, agent) ? input.run.agents[agent] : undefined;
  if (definition !== undefined) return { ok: true, name: agent, definition, reason };
  const installed = input.installed.find(({ name }) => name === agent);
  if (installed?.ready === true) return { ok: true, name: agent, definition: null, reason };
  if (installed !== undefined) {
    return {
      ok: false,
      code: 'AGENT_MISSING',
      message: `The agent "${agent}" is not ready on this machine (${why}).`,
      fix: `Run "baton doctor" to see what "${agent}" lacks: its program or its login.`,
    };
  }
  const known = [...Object.keys(input.run.agents), ...input.installed.map(({ name }) => name)];
  return {
    ok: false,
    code: 'AGENT_UNKNOWN',
    message: `There is no agent "${agent}" (${why}).`,
    fix:
      known.length === 0
        ? `Define "${agent}" under "agents" with a command or an ACP program.`
        : `Use one of ${known.join(', ')}, or define "${agent}" under "agents".`,
  };
}

function anyReady(input: RouteInput, routing: Routing): ChosenAgent | null {
  const { role, model } = input.task;
  const table = Object.hasOwn(routing.roles, role) ? routing.roles[role] : undefined;
  const hasModel = model !== null || table?.model !== undefined;
  const ready = input.installed.filter((agent) => agent.ready && (hasModel || agent.needsModel !== true));
  const last = input.history.at(-1);
  const limited = last !== undefined && ofProvider.has(last.outcome ?? '') ? last.agent : null;
  const agent = ready.find(({ name }) => name !== limited) ?? ready[0];
  if (agent === undefined) return null;
  const why =
    ready.length === 1
      ? 'it is the only one ready on this machine'
      : limited !== null && agent.name !== limited
        ? `it is ready, and the provider of ${limited} ${last?.outcome === 'provider_down' ? 'failed' : 'was rate-limited'} last time`
        : 'it is the first one ready on this machine';
  return { ok: true, name: agent.name, definition: null, reason: `agent ${agent.name}: ${why}` };
}

function onlyDefined(input: RouteInput): ChosenAgent | null {
  const [entry, ...others] = Object.entries(input.run.agents);
  if (entry === undefined || others.length > 0) return null;
  const [name, definition] = entry;
  return { ok: true, name, definition, reason: `agent ${name}: it is the only one that the plan defines` };
}

function nobody(input: RouteInput): NoRoute {
  const defined = Object.keys(input.run.agents);
  return {
    ok: false,
    code: 'AGENT_MISSING',
    message: 'The task names no agent, and no installed agent is ready on this machine.',
    fix:
      defined.length > 0
        ? `Set "agent" on the step or the plan to one of ${defined.join(', ')}.`
        : 'Install and log in to an agent ("baton doctor" lists them), or give the step an agent with a command.',
  };
}
