import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const apps = path.resolve(fileURLToPath(import.meta.url), '../../../../../../apps');

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

/** Starts `apps/<app>/src/main.ts` from its sources. */
export function startProgram(
  app: 'cli' | 'server' | 'worker',
  { name, args = [], env }: { name: string; args?: readonly string[]; env: Record<string, string> },
): Program {
  const main = path.join(apps, app, 'src/main.ts');
  const child = spawn(process.execPath, ['--conditions=@baton/source', main, ...args], {
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
