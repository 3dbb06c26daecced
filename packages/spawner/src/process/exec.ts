import type { Clock, Exec, ExecOptions } from '@baton/contracts';
import { runChild, type ChildEnd, type ChildOrder } from './child-run.ts';
import { markOf, withLimitMark } from './limit-mark.ts';
import { markerVariable, supervisorId, supervisorVariable } from './process-table.ts';
import { openChild, type OpenChild, type OpenOptions } from './open-child.ts';
import { openGuard, type Guard } from './reaper.ts';
import { spawnHelper } from './spawn-helper.ts';

const defaultMaxOutputBytes = 4 * 1024 * 1024;

/**
 * Makes the function that runs programs to their end: from an argument array, without a shell, in a session of their
 * own, with exactly the given environment (and Baton's own mark, by which nothing outlives us but what `finishes`). When the program ends,
 * what it left in its group is ended too. On time-out or abort the tree is ended as by `killTree`, with the
 * marker in `env.BATON_RUN_MARKER` if there is one.
 */
export function createExec({ clock }: { clock: Clock }): Exec {
  return async (argv, options) => {
    const startedMs = clock.monotonicMs();
    const ended = await run(argv, options);
    return { ...ended, durationMs: Math.round(clock.monotonicMs() - startedMs) };
  };
}

interface GuardedPlace {
  cwd: string;
  env: Readonly<Record<string, string>>;
  finishes?: boolean;
}

/**
 * Starts a child that is written to and read from while it runs, in a session of its own and guarded; the outcome of a start that failed
 * is its error code.
 */
export async function openGuarded(
  argv: readonly [string, ...string[]],
  { isUnreferenced, ...place }: GuardedPlace & Pick<OpenOptions, 'isUnreferenced'>,
): Promise<OpenChild | { error: string }> {
  const begun = guarded(argv, place);
  if ('error' in begun) return begun;
  const { program, guard } = begun;
  const order = { ...program, marker: place.env[markerVariable] };
  let group: { ended(): void } | undefined;
  const onStarted = ({ pid }: { pid: number }) => (group = guard?.group(pid));
  const options = { onStarted, isUnreferenced };
  // On Linux alone a start in this very process costs as much as the process has memory.
  const helper = process.platform === 'linux' ? spawnHelper() : null;
  const helped = helper === null ? null : await helper.open(order, options);
  const child = helped ?? (await openChild(order, options));
  if ('error' in child) group?.ended();
  else void child.exited.then(() => group?.ended());
  return child;
}

const notRun = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: false,
  truncated: false,
  stdout: '',
  stderr: '',
};

interface Begun {
  program: Pick<ChildOrder, 'file' | 'args' | 'cwd' | 'env'>;
  guard: Guard | undefined;
}

/** As {@link withGuard}; the error code where the guard could not be started, and so nothing may be. */
function guarded(argv: readonly [string, ...string[]], options: GuardedPlace): Begun | { error: string } {
  try {
    return withGuard(argv, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { error: code };
  }
}

/** The program as it is started, with the marks that nothing outlives us by; the guard is there before the child, which may be all that is left of us. */
function withGuard(argv: readonly [string, ...string[]], options: GuardedPlace): Begun {
  const marker = options.env[markerVariable];
  const [file, ...args] = marker === undefined ? argv : withLimitMark(argv, { ...options, marker });
  const guard = options.finishes ? undefined : openGuard();
  if (marker !== undefined) guard?.mark(markOf(marker));
  const env = options.finishes ? options.env : { ...options.env, [supervisorVariable]: supervisorId() };
  return { program: { file, args, cwd: options.cwd, env }, guard };
}

async function run(argv: readonly [string, ...string[]], options: ExecOptions): Promise<ChildEnd> {
  const begun = guarded(argv, options);
  if ('error' in begun) return { ...notRun, spawnError: begun.error };
  const { program, guard } = begun;
  const order: ChildOrder = {
    ...program,
    stdin: options.stdin ?? '',
    timeoutMs: options.timeoutMs,
    maxOutputBytes: options.maxOutputBytes ?? defaultMaxOutputBytes,
    marker: options.env[markerVariable],
  };
  let group: { ended(): void } | undefined;
  const running = {
    signal: options.signal,
    onStarted: ({ pid }: { pid: number }) => (group = guard?.group(pid)),
  };
  const helper = options.signal?.aborted ? null : spawnHelper();
  const end = await (helper === null ? runChild(order, running) : helper.run(order, running));
  group?.ended();
  return end;
}
