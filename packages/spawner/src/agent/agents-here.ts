import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Exec } from '@baton/contracts';
import { acpAgents, type AcpAgent } from './acp-agents.ts';
import { agentEnvironment } from './environment.ts';
import { findProgram } from '../process/find-program.ts';
import { loginHint, loginOf, type Login } from './login.ts';

const versionMs = 5_000;

/** A program on this machine. */
export interface FoundProgram {
  program: string;
  /** Absolute. */
  path: string;
  /** Null where it does not say. */
  version: string | null;
}

/** An agent of which this machine has at least one program. */
export interface AgentHere {
  /** Name in plans. */
  name: string;
  /** What Baton starts; null: it is missing. */
  speaker: FoundProgram | null;
  /** The program that people type, where that is another one. */
  cli: FoundProgram | null;
  /** Version of what Baton starts that it was tried with. */
  tested: string;
  login: Login;
  /** What it takes to use it, or to be sure that it can be used; null: nothing. */
  fix: string | null;
}

/**
 * Looks for every known agent: the programs that Baton starts and those that people have, with their versions, and what
 * is missing for each. A version comes from the program's package, else from `--version`, for five seconds at most.
 */
export async function agentsHere({
  env,
  exec,
}: {
  env: Readonly<Record<string, string | undefined>>;
  exec: Exec;
}): Promise<AgentHere[]> {
  const found = await Promise.all(
    acpAgents.map(async (agent): Promise<AgentHere | null> => {
      const look = async (program: string | undefined): Promise<FoundProgram | null> => {
        const file = program === undefined ? null : findProgram(program, { env });
        if (program === undefined || file === null) return null;
        const asks = program !== agent.argv[0] || agent.cli === undefined; // an adapter would wait for its protocol
        const version = packageVersion(file) ?? (asks ? await saidVersion(file, { agent, env, exec }) : null);
        return { program, path: file, version };
      };
      const [speaker, cli] = await Promise.all([look(agent.argv[0]), look(agent.cli)]);
      if (speaker === null && cli === null) return null;
      const login = loginOf(agent, { env });
      return {
        name: agent.name,
        speaker,
        cli,
        tested: agent.tested,
        login,
        fix: fixOf(agent, { speaker, login }),
      };
    }),
  );
  return found.filter((one) => one !== null);
}

function fixOf(agent: AcpAgent, { speaker, login }: Pick<AgentHere, 'speaker' | 'login'>): string | null {
  if (speaker === null) return `${agent.argv[0]} connects it to Baton: \`${agent.install}\`.`;
  return login === 'none' ? loginHint(agent) : null;
}

/** The version of the npm package that a program belongs to, if it is of one. */
function packageVersion(file: string): string | null {
  try {
    let folder = path.dirname(realpathSync(file));
    for (let up = 0; up < 4; up += 1, folder = path.dirname(folder)) {
      if (!folder.split(path.sep).includes('node_modules')) return null;
      const version = versionIn(path.join(folder, 'package.json'));
      if (version !== null) return version;
    }
  } catch {
    // gone, or not to be read: it may still say its version
  }
  return null;
}

function versionIn(file: string): string | null {
  try {
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

async function saidVersion(
  file: string,
  { agent, env, exec }: { agent: AcpAgent; env: Readonly<Record<string, string | undefined>>; exec: Exec },
): Promise<string | null> {
  const said = await exec([file, '--version'], {
    cwd: '/',
    env: agentEnvironment({ base: env, definition: { acp: [...agent.argv] } }),
    timeoutMs: versionMs,
  });
  if (said.exitCode !== 0) return null;
  return /\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.-]+)?/.exec(said.stdout)?.[0] ?? null;
}
