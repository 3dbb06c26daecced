import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { ChildEnd, ChildOrder } from './child-run.ts';
import { codeCache, nodeFor } from './code-cache.ts';
import { patienceMs, watchHelper, type Watched } from './helper-watch.ts';
import { openByHelper } from './helped-child.ts';
import { killTree } from './kill-tree.ts';
import { withoutLimitMark } from './limit-mark.ts';
import type { OpenChild, OpenOptions, OpenOrder } from './open-child.ts';
import { isAlive, type ProcessRef } from './process-table.ts';

const program = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './spawn-helper-main.ts' : './spawn-helper-main.js',
    import.meta.url,
  ),
);
/** A process that starts fewer programs is better off without a helper. */
const startsWithout = 8;

/** A small process that starts programs for a big one: a fork costs as much as its parent has memory, and blocks its loop. */
export interface SpawnHelper {
  /** False from when it is gone, which may be before any caller learns of it. */
  isThere(): boolean;
  /** As `runChild`. The end of a program whose helper died is that of one that was killed. */
  run(
    order: ChildOrder,
    options: { signal?: AbortSignal | undefined; onStarted: (child: { pid: number }) => void },
  ): Promise<ChildEnd>;
  /** As `openChild`, Linux only. Null: the helper died or was refused the streams before there was a child. */
  open(order: OpenOrder, options: OpenOptions): Promise<OpenChild | { error: string } | null>;
}

/** What a helper says. */
const said = z.union([
  z.literal(['ready', 'alive']),
  z.object({ id: z.number(), pid: z.number(), pidStarted: z.string().nullable() }),
  z.object({ id: z.number(), end: z.custom<ChildEnd>((value) => typeof value === 'object') }),
]);

interface Pending {
  /** The child; null: not started so far. */
  child: ProcessRef | null;
  onStarted: (child: ProcessRef) => void;
  settle: (end: ChildEnd) => void;
  /** Whether it keeps this process up. */
  holds: boolean;
  /** Why the helper was killed for it. */
  lost: Partial<Pick<ChildEnd, 'timedOut' | 'aborted'>>;
}

let starts = 0;
let helper: { ready: SpawnHelper | null } | undefined;

/** The helper of this process once it is there: null for the first few programs, and while it starts. */
export function spawnHelper(): SpawnHelper | null {
  starts += 1;
  if (starts <= startsWithout) return null;
  helper ??= startHelper(() => (helper = undefined));
  return helper.ready?.isThere() === true ? helper.ready : null;
}

function startHelper(onGone: () => void): { ready: SpawnHelper | null } {
  const [file, ...args] = withoutLimitMark(nodeFor(program));
  const child = spawn(file, args, {
    ...{ cwd: '/', env: codeCache(), detached: true, serialization: 'advanced' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const state: { ready: SpawnHelper | null; heard: number } = { ready: null, heard: 0 };
  const pending = new Map<number, Pending>();
  const gone = () => {
    state.ready = null;
    onGone();
    for (const one of pending.values()) void endLost(one);
    pending.clear();
  };
  child.on('error', gone);
  child.on('exit', gone);
  child.on('message', (message) => {
    state.heard += 1;
    const told = said.parse(message);
    if (told === 'alive') return;
    if (told === 'ready') state.ready = clientOf(child, { pending, heard: () => state.heard });
    else if ('pid' in told) noteStart(pending.get(told.id), told);
    else finish(child, { pending, id: told.id, end: told.end });
  });
  child.unref();
  child.channel?.unref();
  return state;
}

function clientOf(
  child: ChildProcess,
  { pending, heard }: { pending: Map<number, Pending>; heard: () => number },
): SpawnHelper {
  let last = 0;
  // To one that is gone nothing is sent: what ran in its care is being ended.
  const tell = (message: object | string) => child.connected && child.send(message);
  const watched = (one: Pending, lost: Pending['lost']): Watched => ({
    heard,
    ask: () => void tell('alive?'),
    kill() {
      one.lost = lost;
      child.kill('SIGKILL');
    },
  });
  return {
    isThere: () => child.connected,
    run: (order, { signal, onStarted }) =>
      new Promise<ChildEnd>((resolve) => {
        const id = (last += 1);
        const one: Pending = { child: null, onStarted, settle, holds: true, lost: {} };
        let overdue = watchHelper(watched(one, { timedOut: true }), { ms: order.timeoutMs + patienceMs });
        function onAbort(): void {
          tell({ id, abort: true });
          overdue();
          overdue = watchHelper(watched(one, { aborted: true }), { ms: patienceMs });
        }
        function settle(end: ChildEnd): void {
          overdue();
          signal?.removeEventListener('abort', onAbort);
          resolve(end);
        }
        pending.set(id, one);
        child.channel?.ref();
        child.send({ id, order: { ...order, env: { ...order.env } } });
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted) onAbort();
      }),
    open: (order, options) =>
      openByHelper(
        {
          order(streams, told) {
            const id = (last += 1);
            const holds = options.isUnreferenced !== true;
            const one: Pending = { child: null, ...told, holds, lost: {} };
            pending.set(id, one);
            if (holds) child.channel?.ref();
            child.send({ id, order: { ...order, env: { ...order.env } }, streams });
            // A helper reports an end at once, unless it was stopped.
            const isDue = () => one.child === null || !isAlive(one.child);
            const unwatch = watchHelper({ ...watched(one, {}), isDue }, { ms: patienceMs, holds });
            return { begin: (isConnected) => void tell({ id, begin: isConnected }), unwatch };
          },
        },
        { marker: order.marker, ...options },
      ),
  };
}

function noteStart(one: Pending | undefined, { pid, pidStarted }: ProcessRef): void {
  if (one === undefined) return;
  one.child = { pid, pidStarted };
  one.onStarted({ pid, pidStarted });
}

function finish(
  child: ChildProcess,
  { pending, id, end }: { pending: Map<number, Pending>; id: number; end: ChildEnd },
): void {
  const one = pending.get(id);
  pending.delete(id);
  if (![...pending.values()].some(({ holds }) => holds)) child.channel?.unref();
  one?.settle(end);
}

/** No process reads its output any more, so it is ended. */
async function endLost({ child, settle, lost }: Pending): Promise<void> {
  if (child !== null) await killTree(child, { graceMs: 0 });
  settle({
    ...{ exitCode: null, signal: 'SIGKILL', timedOut: false, aborted: false },
    ...{ stdout: '', stderr: '', truncated: false },
    ...lost,
  });
}
