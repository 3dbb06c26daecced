import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Clock, Exec, ExecOptions, ExecResult } from '@baton/contracts';
import { boundedOutput } from './bounded-output.ts';
import { killAll, killTree } from './kill-tree.ts';
import { markOf, withLimitMark } from './limit-mark.ts';
import {
  groupMembers,
  markerVariable,
  processStart,
  supervisorId,
  supervisorVariable,
} from './process-table.ts';
import { openGuard } from './reaper.ts';

const defaultMaxOutputBytes = 4 * 1024 * 1024;
const graceMs = 2_000;
const lingerMs = 1_000;
const longestTimerMs = 2 ** 31 - 1; // a longer one would fire at once

/**
 * Makes the function that runs programs to their end: from an argument array, without a shell, in a session of their
 * own, with exactly the given environment (and Baton's own mark, by which nothing outlives us but what `finishes`). When the program ends,
 * what it left in its group is ended too. On time-out or abort the tree is ended as by {@link killTree}, with the
 * marker in `env.BATON_RUN_MARKER` if there is one.
 */
export function createExec({ clock }: { clock: Clock }): Exec {
  return async (argv, options) => {
    const startedMs = clock.monotonicMs();
    const ended = await run(argv, options);
    return { ...ended, durationMs: Math.round(clock.monotonicMs() - startedMs) };
  };
}

/** Starts a child in a session of its own, guarded unless it `finishes`; the outcome of a start that failed is its error code. */
export function spawnGuarded(
  argv: readonly [string, ...string[]],
  options: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    stdio?: SpawnOptions['stdio'];
    finishes?: boolean;
  },
): { child: ChildProcess; started: Promise<{ pid: number; pidStarted: string | null } | { error: string }> } {
  const marker = options.env[markerVariable];
  const [file, ...args] = marker === undefined ? argv : withLimitMark(argv, { ...options, marker });
  const guard = options.finishes ? undefined : openGuard(); // before the child, which may be all that is left of us
  if (marker !== undefined) guard?.mark(markOf(marker));
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.finishes ? options.env : { ...options.env, [supervisorVariable]: supervisorId() },
    detached: true,
    stdio: options.stdio ?? ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined); // a program that does not read its input is no error
  if (child.pid !== undefined && guard !== undefined) {
    const group = guard.group(child.pid);
    child.once('exit', () => group.ended());
  }
  const started = new Promise<{ pid: number; pidStarted: string | null } | { error: string }>((resolve) => {
    if (child.pid !== undefined) resolve({ pid: child.pid, pidStarted: processStart(child.pid) });
    child.once('error', (error: NodeJS.ErrnoException) => {
      // ENOENT is also said of a missing folder, which would be read as a missing program.
      const code = error.code === 'ENOENT' && !existsSync(options.cwd) ? 'CWD_MISSING' : error.code;
      resolve({ error: code ?? error.message });
    });
  });
  return { child, started };
}

async function run(
  argv: readonly [string, ...string[]],
  options: ExecOptions,
): Promise<Omit<ExecResult, 'durationMs'>> {
  const stdout = boundedOutput(options.maxOutputBytes ?? defaultMaxOutputBytes);
  const stderr = boundedOutput(options.maxOutputBytes ?? defaultMaxOutputBytes);
  const result = (end: Partial<ExecResult>): Omit<ExecResult, 'durationMs'> => ({
    exitCode: null,
    signal: null,
    timedOut: false,
    aborted: false,
    ...end,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated || stderr.truncated,
  });
  if (options.signal?.aborted) return result({ aborted: true });

  let begun;
  try {
    begun = spawnGuarded(argv, options);
  } catch (error) {
    return result({ spawnError: (error as NodeJS.ErrnoException).code ?? String(error) });
  }
  const { child } = begun;
  const closed = closing(child);
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const started = await begun.started;
  if ('error' in started) return result({ spawnError: started.error });
  child.stdin?.end(options.stdin ?? '');

  let timedOut = false;
  let aborted = false;
  let killing: Promise<unknown> | undefined;
  const kill = () => (killing ??= killTree({ ...started, marker: options.env[markerVariable] }, { graceMs }));
  const timer = setTimeout(
    () => {
      timedOut = true;
      void kill();
    },
    Math.min(options.timeoutMs, longestTimerMs),
  );
  const onAbort = () => {
    aborted = true;
    void kill();
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const { code, signal } = await closed.exited;
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', onAbort);
  await killing;
  // Something in the background may hold the pipes open for ever: it gets a moment, then it ends with its group.
  await Promise.race([closed.drained, unrefDelay(lingerMs)]);
  await killAll(() => groupMembers(started.pid));
  await Promise.race([closed.drained, unrefDelay(lingerMs)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return result({ exitCode: code, signal, timedOut, aborted: aborted && !timedOut });
}

/** When a child is gone, and when all that it wrote was read. */
export function closing(child: ChildProcess): {
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  drained: Promise<void>;
} {
  return {
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
    drained: new Promise((resolve) => child.once('close', () => resolve())),
  };
}

function unrefDelay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
