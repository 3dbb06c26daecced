import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AcpAgent } from './acp-agents.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether an agent has a key or a login: seen, possible in a place that is not looked into, or certainly not there. */
export type Login = 'found' | 'unknown' | 'none';

/**
 * Looks for an agent's login without starting it. Keys and files of logins are proof enough; settings files, a cloud
 * provider's switch, key chains (macOS) and agents that need no login leave it unknown, and only the agent can tell.
 */
export function loginOf(
  agent: AcpAgent,
  { env, platform = process.platform }: { env: Environment; platform?: NodeJS.Platform },
): Login {
  const isThere = (file: string) => {
    const place = placeOf(file, agent, env);
    return place !== null && existsSync(place);
  };
  if (agent.keys.some((name) => isSet(env, name)) || agent.logins.some(isThere)) return 'found';
  if (!agent.showsLogin || platform === 'darwin' || env['HOME'] === undefined) return 'unknown';
  if (agent.settings?.some(isThere) === true) return 'unknown';
  return agent.clouds?.some(({ when }) => isOn(env, when)) === true ? 'unknown' : 'none';
}

/** The operator's variables that an agent may have: its keys, settings, and those of a cloud provider that it is switched to. */
export function variablesOf(agent: AcpAgent, env: Environment): string[] {
  const clouds = (agent.clouds ?? []).flatMap(({ when, variables }) =>
    isOn(env, when) ? [when, ...variables] : [],
  );
  return [...agent.keys, ...agent.variables, ...clouds];
}

/** How to log in. */
export function loginHint(agent: AcpAgent): string {
  const keys = agent.keys.length === 0 ? '' : `Set ${agent.keys.slice(0, 2).join(' or ')}, or `;
  return `${keys}${keys === '' ? 'Start' : 'start'} ${agent.cli ?? agent.argv[0]} once by hand and log in.`;
}

/** Whether a variable says something. */
export function isSet(env: Environment, name: string): boolean {
  return env[name] !== undefined && env[name] !== '';
}

function isOn(env: Environment, name: string): boolean {
  return isSet(env, name) && !['0', 'false'].includes(env[name] ?? '');
}

/** Some agents let a variable move the folder of their files. */
function placeOf(file: string, { moved }: AcpAgent, env: Environment): string | null {
  const own = moved === undefined ? undefined : env[moved.variable];
  if (moved !== undefined && own !== undefined && own !== '' && file.startsWith(moved.folder))
    return path.join(own, file.slice(moved.folder.length));
  return env['HOME'] === undefined ? null : path.join(env['HOME'], file);
}
