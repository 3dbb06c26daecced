import path from 'node:path';
import { BatonError, type AgentDefinition } from '@baton/contracts';
import { acpAgents, type AcpAgent } from './acp-agents.ts';
import { modelPlace, providers } from './providers.ts';
import { findProgram } from '../process/find-program.ts';
import { isOfWorktree, startProblem } from '../process/start-problem.ts';
import { isSet, loginHint, loginOf, variablesOf, type Login } from './login.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An agent that Baton knows, found on this machine. */
export interface InstalledAgent {
  /** Name in plans. */
  name: string;
  /** Absolute path of its program. */
  program: string;
  /** Whether it is worth a try: it has no key and no login only where that is certain. The agent has the last word. */
  ready: boolean;
  login: Login;
  /** What to do when it is not ready; null when it is. */
  fix: string | null;
  definition: AgentDefinition;
  /** Set when it does nothing without a model that the task or its role names. */
  needsModel?: true;
}

/** Name of Baton's own agent, a loop around any model. */
const inProcess = 'in-process';

/** Names of the agents that Baton knows, in order of preference. */
export const knownAgents: readonly string[] = [...acpAgents.map((agent) => agent.name), inProcess];

/** The known agent that a name which people use for it means; undefined for its own name and for others. */
export function agentByAlias(name: string): string | undefined {
  const asked = name.toLowerCase();
  return acpAgents.find(({ aliases }) => aliases.includes(asked))?.name;
}

/**
 * Looks which of the known agents are on this machine and whether they look logged in: by their programs in `PATH`,
 * their key variables and the files of their logins. Nothing is started. Those whose login was seen come first.
 */
export function installedAgents({ env }: { env: Environment }): Promise<InstalledAgent[]> {
  const found = acpAgents.flatMap((agent) => {
    const program = findProgram(agent.argv[0], { env });
    if (program === null) return [];
    const login = loginOf(agent, { env });
    const ready = login !== 'none';
    const fix = ready ? null : loginHint(agent);
    return [{ name: agent.name, program, ready, login, fix, definition: definitionOf(agent) }];
  });
  const seen = found.filter(({ login }) => login === 'found');
  const others = found.filter(({ login }) => login !== 'found');
  return Promise.resolve([...seen, ...others, ownAgent(env)]);
}

/** The definition of an agent that Baton knows by name. @throws AGENT_UNKNOWN */
export function builtinAgent(name: string): AgentDefinition {
  const agent = acpAgents.find((one) => one.name === name);
  if (agent !== undefined) return definitionOf(agent);
  if (name === inProcess) return { in_process: null };
  throw new BatonError('AGENT_UNKNOWN', `There is no agent "${name}".`, {
    fix: `Define it under \`agents\`, or take one of ${knownAgents.join(', ')}.`,
  });
}

/** What is known of the program that a definition starts; null for a program Baton does not know. */
export function knownAgentOf(definition: AgentDefinition): AcpAgent | null {
  if (!('acp' in definition)) return null;
  const program = path.basename(definition.acp[0] ?? '');
  return acpAgents.find((agent) => agent.argv[0] === program) ?? null;
}

/** The operator's variables that an agent may have: its keys and settings. */
export function keyVariablesOf(definition: AgentDefinition | undefined, env: Environment): string[] {
  if (definition === undefined) return [];
  if ('in_process' in definition) {
    const usual = providers.flatMap(({ keyVariable }) => keyVariable ?? []);
    return definition.api_key_env === undefined ? usual : [definition.api_key_env];
  }
  const known = knownAgentOf(definition);
  return known === null ? [] : variablesOf(known, env);
}

/**
 * Checks, before anything is claimed, that an agent's program exists and that it is not certainly without a login. A program
 * that lies in the worktree (a path with a slash that is not absolute) is not checked.
 *
 * @throws AGENT_MISSING, AGENT_NOT_LOGGED_IN, AGENT_UNKNOWN, each with what to do.
 */
export function checkAgent(options: {
  name: string;
  definition: AgentDefinition | null;
  env: Environment;
}): void {
  const definition = options.definition ?? builtinAgent(options.name);
  if ('in_process' in definition) return checkModel(options.name, { definition, env: options.env });
  const [program = ''] = 'acp' in definition ? definition.acp : definition.command;
  const env = { ...options.env, ...definition.env };
  if (!isOfWorktree(program)) {
    const problem = startProblem(program, { env });
    if (problem !== null || findProgram(program, { env }) === null) {
      const { what, fix } = problem ?? { what: 'is not there', fix: installHint(program, env) };
      const message = `The agent "${options.name}" cannot be started: ${program} ${what}.`;
      throw new BatonError('AGENT_MISSING', message, { fix, details: { program } });
    }
  }
  const agent = knownAgentOf(definition);
  if (agent === null || definition.env !== undefined || loginOf(agent, { env }) !== 'none') return;
  throw new BatonError('AGENT_NOT_LOGGED_IN', `The agent "${options.name}" has neither a key nor a login.`, {
    fix: loginHint(agent),
  });
}

/** It is always there; whether a model of it can be asked shows in the keys. */
function ownAgent(env: Environment): InstalledAgent {
  const keys = providers.flatMap(({ keyVariable }) => keyVariable ?? []);
  const ready = keys.some((name) => isSet(env, name));
  return {
    name: inProcess,
    program: process.execPath,
    ready,
    login: ready ? 'found' : 'none',
    fix: ready ? null : `Set the key of a provider (${keys.slice(0, 3).join(', ')}, …) and name a model.`,
    definition: { in_process: null },
    needsModel: true,
  };
}

/** @throws AGENT_NOT_LOGGED_IN, CONFIG_INVALID */
function checkModel(
  name: string,
  { definition, env }: { definition: Extract<AgentDefinition, { in_process: unknown }>; env: Environment },
): void {
  if (definition.in_process === null) return; // the model, and so the key, comes with the task
  const own = { baseUrl: definition.base_url, keyVariable: definition.api_key_env };
  const { keyVariable } = modelPlace(definition.in_process, own);
  if (keyVariable === null || isSet({ ...env, ...definition.env }, keyVariable)) return;
  throw new BatonError('AGENT_NOT_LOGGED_IN', `The agent "${name}" has no key for its model.`, {
    fix: `Set ${keyVariable}, or name the variable that holds the key: \`api_key_env\`.`,
  });
}

/** How to get a program that is missing; said with the one that people have, where that is there. */
export function installHint(program: string, env: Environment = {}): string {
  const agent = acpAgents.find((one) => one.argv[0] === path.basename(program));
  if (agent === undefined)
    return `${program} is not installed, or not in PATH: install it, or correct the agent's command.`;
  const has = agent.cli !== undefined && findProgram(agent.cli, { env }) !== null;
  return has
    ? `${agent.cli} is here; ${program} connects it to Baton: \`${agent.install}\`.`
    : `${program} is not installed: ${agent.install}`;
}

function definitionOf(agent: AcpAgent): AgentDefinition {
  return { acp: [...agent.argv] };
}
