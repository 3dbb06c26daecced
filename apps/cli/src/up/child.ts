import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Call } from '../cli.ts';

/** A process of `baton up`. */
export interface Child {
  name: string;
  pid: number | undefined;
  /** Lines that it printed on stdout. */
  onLine(listener: (line: string) => void): void;
  /** Its exit code; null when a signal ended it or it never started. */
  ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** Starts one of Baton's own programs. Its lines appear on stderr after its name. */
export function startChild(
  call: Call,
  { name, entry, env }: { name: string; entry: string; env: Readonly<Record<string, string>> },
): Child {
  const program = fileURLToPath(import.meta.resolve(entry));
  // A group of its own: a Ctrl-C at the terminal reaches us alone, and we say who stops when.
  const child = spawn(process.execPath, [...process.execArgv, program], {
    env: { ...env, BATON_WORKER_NAME: `${name}-${process.pid}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines = createInterface({ input: child.stdout });
  const prefix = call.out.noteColors.dim(`[${name}]`);
  createInterface({ input: child.stderr }).on('line', (line) => call.out.note(`${prefix} ${line}`));
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  return {
    name,
    pid: child.pid,
    ended,
    onLine: (listener) => void lines.on('line', listener),
    signal: (signal) => void child.kill(signal),
  };
}
