import { spawn } from 'node:child_process';

/** How a process came to its end. */
export interface Ended {
  pid: number;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

/** How a process is started and watched. */
export interface WatchOptions extends TrialSignals {
  cwd?: string;
  /** Words that stand before Node; the program that they name becomes it. */
  under?: readonly string[];
  /** Besides PATH and HOME of this process. */
  env: Record<string, string>;
  /** One that takes longer is stuck and killed. */
  longestMs: number;
  /** What it is told when the whole campaign is interrupted; one that goes on for ten more seconds is killed. */
  atInterruption?: NodeJS.Signals;
  /** Hears what it prints on stderr, piece by piece. */
  onStderr?(text: string): void;
}

/**
 * What makes short-lived processes cheap: code that runs for a second is not worth optimising, least of all that of
 * Prisma's WebAssembly.
 */
const quickStart = ['--conditions=@baton/source', '--wasm-lazy-compilation', '--liftoff-only'];
const graceMs = 10_000;

/** Runs Node on sources until it ends. In a session of its own: Ctrl-C is for the campaign, which tells its children. */
export async function runWatched(args: readonly string[], options: WatchOptions): Promise<Ended> {
  const {
    env,
    longestMs,
    signal: interrupted,
    atInterruption = 'SIGKILL',
    cwd,
    under = [],
    onStderr,
  } = options;
  const { PATH = '', HOME = '' } = process.env;
  const [program = '', ...words] = [...under, process.execPath, ...quickStart, ...args];
  const child = spawn(program, words, {
    ...(cwd !== undefined && { cwd }),
    env: { PATH, HOME, ...env },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onStderr?.(text);
  });
  const timers = [
    setTimeout(() => {
      stderr += '\nIt did not come to an end.';
      child.kill('SIGKILL');
    }, longestMs),
  ];
  const interrupt = () => {
    child.kill(atInterruption);
    timers.push(setTimeout(() => child.kill('SIGKILL'), graceMs));
  };
  if (interrupted?.aborted) interrupt();
  interrupted?.addEventListener('abort', interrupt);
  try {
    return await new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) => resolve({ pid: child.pid ?? 0, exitCode, signal, stderr }));
    });
  } finally {
    timers.forEach(clearTimeout);
    interrupted?.removeEventListener('abort', interrupt);
  }
}

/** How a trial is told that nobody waits for it any more. */
export interface TrialSignals {
  /** Aborted when the campaign is interrupted: processes end at once, and what came of the trial is not looked at. */
  signal?: AbortSignal | undefined;
}
