import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ExecResult } from '@baton/contracts';
import { boundedOutput } from './bounded-output.ts';
import { killAll, killTree } from './kill-tree.ts';
import { groupMembers, processStart } from './process-table.ts';

const graceMs = 2_000;
const lingerMs = 1_000;
const longestTimerMs = 2 ** 31 - 1; // a longer one would fire at once

/** A program to run, complete: nothing of it is looked up or inherited where it is run. */
export interface ChildOrder {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin: string;
  timeoutMs: number;
  maxOutputBytes: number;
  /** What the processes of its tree carry in their environment, if they do. */
  marker: string | undefined;
}

/** How it ended. */
export type ChildEnd = Omit<ExecResult, 'durationMs'>;

/** A child that runs, or the error code of a start that failed. */
export type ChildStart = { pid: number; pidStarted: string | null } | { error: string };

/** Starts a child in a session of its own. */
export function startChild(
  order: Pick<ChildOrder, 'file' | 'args' | 'cwd' | 'env'>,
  stdio: SpawnOptions['stdio'] = ['pipe', 'pipe', 'pipe'],
): { child: ChildProcess; started: Promise<ChildStart> } {
  const child = spawn(order.file, order.args, { cwd: order.cwd, env: order.env, detached: true, stdio });
  child.stdin?.on('error', () => undefined); // a program that does not read its input is no error
  const started = new Promise<ChildStart>((resolve) => {
    if (child.pid !== undefined) resolve({ pid: child.pid, pidStarted: processStart(child.pid) });
    child.once('error', (error: NodeJS.ErrnoException) => {
      // ENOENT is also said of a missing folder, which would be read as a missing program.
      const code = error.code === 'ENOENT' && !existsSync(order.cwd) ? 'CWD_MISSING' : error.code;
      resolve({ error: code ?? error.message });
    });
  });
  return { child, started };
}

/**
 * Runs a child to its end. When it ends, what it left in its group is ended, too; on time-out or abort its tree is ended as by
 * {@link killTree}.
 *
 * @param options.onStarted gets the child as soon as there is one.
 */
export async function runChild(
  order: ChildOrder,
  options: { signal?: AbortSignal | undefined; onStarted: (child: { pid: number }) => void },
): Promise<ChildEnd> {
  const [stdout, stderr] = [boundedOutput(order.maxOutputBytes), boundedOutput(order.maxOutputBytes)];
  const result = (end: Partial<ChildEnd>): ChildEnd => ({
    ...{ exitCode: null, signal: null, timedOut: false, aborted: false, ...end },
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated || stderr.truncated,
  });
  if (options.signal?.aborted) return result({ aborted: true });

  let begun;
  try {
    begun = startChild(order);
  } catch (error) {
    return result({ spawnError: (error as NodeJS.ErrnoException).code ?? String(error) });
  }
  const { child } = begun;
  if (child.pid !== undefined) options.onStarted({ pid: child.pid });
  const closed = closing(child);
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const started = await begun.started;
  if ('error' in started) return result({ spawnError: started.error });
  child.stdin?.end(order.stdin);

  let why: 'timedOut' | 'aborted' | null = null;
  let killing: Promise<unknown> | undefined;
  const kill = (reason: 'timedOut' | 'aborted') => {
    why ??= reason;
    killing ??= killTree({ ...started, marker: order.marker }, { graceMs });
  };
  const timer = setTimeout(() => kill('timedOut'), Math.min(order.timeoutMs, longestTimerMs));
  const onAbort = () => kill('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const { code, signal } = await closed.exited;
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', onAbort);
  await killing;
  // A background process may hold the pipes open without end: it gets a moment, then it ends with its group.
  await Promise.race([closed.drained, unrefDelay(lingerMs)]);
  await killAll(() => groupMembers(started.pid));
  await Promise.race([closed.drained, unrefDelay(lingerMs)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return result({ exitCode: code, signal, timedOut: why === 'timedOut', aborted: why === 'aborted' });
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
