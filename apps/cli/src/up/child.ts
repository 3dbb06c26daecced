import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import type { Call } from '../terminal/call.ts';
import { childLine } from './child-line.ts';

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

/** Run by each child first: when we die, however it happens, the channel between us closes and the child ends in good order. */
const endsWithParent = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); process.channel.unref();",
)}`;

/** Starts one of Baton's own programs. Its lines appear on stderr, for people, or with `--json` as it writes them: one JSON object each. */
export function startChild(
  call: Call,
  { name, entry, env }: { name: string; entry: string; env: Readonly<Record<string, string>> },
): Child {
  const program = fileURLToPath(import.meta.resolve(entry));
  // A group of its own: a Ctrl-C at the terminal reaches us alone, and we say who stops when.
  const child = spawn(process.execPath, [...process.execArgv, `--import=${endsWithParent}`, program], {
    env: { ...env, BATON_WORKER_NAME: `${name}-${process.pid}` },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  child.stdout?.resume(); // a full pipe without a reader would block the child
  const { json, noteColors } = call.out;
  readLines(child.stderr, (line) =>
    call.out.note(json ? line : childLine(line, { name, colors: noteColors })),
  );
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (code) => resolve(code));
  });
  return {
    name,
    pid: child.pid,
    ended,
    onLine: (listener) => readLines(child.stdout, listener),
    signal: (signal) => void child.kill(signal),
  };
}

function readLines(stream: Readable | null, listener: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on('line', listener);
}
