import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appArguments, type App } from '@baton/testkit';

/** One of Baton's programs at work, in a group of its own. */
export interface Program {
  name: string;
  child: ChildProcess;
  /** What it printed. */
  output(): string;
  /** Its exit code; null after a signal. */
  ended: Promise<number | null>;
  /** When it ended; null: it lives. */
  endedAtMs(): number | null;
}

/** Whether a program can be given a host name of its own here: by a UTS namespace. */
export const canNameHosts = spawnSync('unshare', ['--uts', 'hostname', 'other']).status === 0;

/** Starts the program of an app, as on a host of another name where one is given and it can be. */
export function startProgram(
  app: App,
  given: { name: string; args?: readonly string[]; env: Record<string, string>; host?: string },
): Program {
  const { name, args = [], env, host } = given;
  const argv = [process.execPath, ...appArguments(app), ...args];
  const onHost = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', host ?? '', ...argv];
  const [file = '', ...rest] = host !== undefined && canNameHosts ? onHost : argv;
  const child = spawn(file, rest, {
    env: { ...env, BATON_WORKER_NAME: name },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let endedAtMs: number | null = null;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-20_000);
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => {
      endedAtMs = performance.now();
      resolve(code);
    });
  });
  return { name, child, output: () => output, ended, endedAtMs: () => endedAtMs };
}

/** Ends a program and all that it started. */
export async function endProgram({ child, ended, endedAtMs }: Program): Promise<void> {
  if (endedAtMs() !== null || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  await ended;
}
