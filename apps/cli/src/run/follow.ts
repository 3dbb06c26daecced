import { setTimeout as delay } from 'node:timers/promises';

import { BatonError, requestsInto } from '@baton/contracts';
import type { Explanation, Run, RunStatus } from '@baton/task-store';

import { flaggedOf } from '../look/flagged.ts';
import type { StoreAccess } from '../project/open-store.ts';
import { systemClock } from '@baton/service/system';
import { allTasks } from '../project/with-store.ts';
import { heldBy } from './held.ts';
import type { Outage } from './outage.ts';
import { isIdle, type RunSnapshot } from './progress-lines.ts';
import { waitText } from './wait-text.ts';

/** Looking more often shows nothing more to a person, and costs the store six queries each time. */
const minPauseMs = 250;
/** Nor is a large run, or a busy machine, looked at most of the time. */
const maxPauseMs = 2_000;
const pausePerLook = 10;
/** Polling is the truth; being woken only makes it faster. */
const pollMs = 1_000;

/** Nothing at work for this long is worth a word. */
const idleMs = 2_000;
const maxWaits = 5;
/** Causes that pass by themselves within moments. */
const routine: readonly Explanation['cause'][] = [
  'ready',
  'running',
  'verifying',
  'lane',
  'dependency',
  'feed_behind',
  'settled',
];

/** States of a run in which it waits for nothing but its own agents. */
const moving: readonly RunStatus[] = ['running', 'paused'];

/** Reads a run as it is now. */
export async function takeSnapshot(
  { store }: Pick<StoreAccess, 'store'>,
  runId: string,
): Promise<RunSnapshot> {
  const [run, tasks, attempts, sessions, landings, expected] = await Promise.all([
    store.runs.get(runId),
    allTasks(store, runId),
    store.tasks.listAttempts({ runId }),
    store.tasks.sessions({ runId, live: true }),
    store.tasks.landings({ runId }),
    store.tasks.expectedConflicts({ runId }),
  ]);
  // Read after the states: a task that has landed or waits has its verdict by then.
  const flagged = await flaggedOf(store, runId, { tasks, attempts });
  const requests = run === null ? undefined : await openRequests(store, run);
  if (!run) throw new BatonError('NOT_FOUND', `The run ${runId} is gone.`, { fix: 'See `baton runs`.' });
  return {
    run,
    tasks,
    attempts,
    sessions,
    commits: new Map(landings.map((landing) => [landing.taskId, landing.commit])),
    waits: new Map(),
    flagged,
    expected,
    ...(requests && { requests }),
  };
}

/** What waits to be merged of a run that lands by pull requests; undefined for one that does not. */
async function openRequests(
  store: StoreAccess['store'],
  { id, plan }: Run,
): Promise<RunSnapshot['requests'] | undefined> {
  if (requestsInto(plan) === null) return undefined;
  const listed = await store.pullRequests.list(id);
  return new Map(
    listed.flatMap(({ state, url, key, status }) =>
      state === 'open' && url !== null && status === 'DONE' ? [[url, key] as const] : [],
    ),
  );
}

/**
 * Follows a run until it needs no more agents, or until `signal`. A database that is away is waited for, and started
 * again when it is ours.
 * @returns the last snapshot
 * @throws what `outage` does not wait for
 */
export async function followRun(
  access: StoreAccess,
  options: {
    start: RunSnapshot;
    signal: AbortSignal;
    outage: Outage;
    onChange: (before: RunSnapshot, after: RunSnapshot) => void;
  },
): Promise<RunSnapshot> {
  let snapshot = options.start;
  const waker = createWaker(options.signal);
  const idle = createIdleWatch(access);
  const unlisten = await access.store.feed.onWake('events', waker.wake);
  try {
    while (!options.signal.aborted) {
      const startedMs = systemClock.monotonicMs();
      const next = await lookAgain(access, { last: snapshot, idle, outage: options.outage });
      options.onChange(snapshot, next);
      snapshot = next;
      if (isOver(snapshot)) break;
      await waker.wait(systemClock.monotonicMs() - startedMs);
    }
    return snapshot;
  } finally {
    await unlisten();
  }
}

/** Nothing of it needs an agent any more, or nothing here can move it. */
const isOver = (snapshot: RunSnapshot): boolean =>
  !moving.includes(snapshot.run.status) || isIdle(snapshot) || waitsForPerson(snapshot);

/** A worker holds it for a reason that only a person ends, and no agent is at work: no process here can carry it on. */
const waitsForPerson = ({ run, sessions }: RunSnapshot): boolean =>
  run.status === 'paused' && sessions.length === 0 && heldBy(run) !== null;

async function lookAgain(
  access: StoreAccess,
  { last, idle, outage }: { last: RunSnapshot; idle: ReturnType<typeof createIdleWatch>; outage: Outage },
): Promise<RunSnapshot> {
  try {
    await access.ensureRunning();
    const next = await idle.explain(await takeSnapshot(access, last.run.id));
    outage.over();
    return next;
  } catch (error) {
    outage.notice(error);
    return last; // the next look sees it
  }
}

/** Waits to be woken, for a pause at least and a poll at most. The pause follows from how long the last look took, in ms. */
export function createWaker(signal: AbortSignal): {
  wake: () => void;
  wait: (lookMs: number) => Promise<void>;
} {
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    wake: () => wake(),
    async wait(lookMs) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const over = new AbortController();
      const poll = delay(pollMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (!signal.aborted) await Promise.race([woken, poll]);
      over.abort();
      if (!signal.aborted) await delay(Math.min(maxPauseMs, Math.max(minPauseMs, pausePerLook * lookMs)));
    },
  };
}

/** Asks why nothing is at work once that has lasted a while: what moves by itself needs no words. */
function createIdleWatch({ store }: StoreAccess): {
  explain: (snapshot: RunSnapshot) => Promise<RunSnapshot>;
} {
  let sinceMs: number | null = null;
  return {
    async explain(snapshot) {
      const isBusy = snapshot.tasks.some((task) =>
        ['CLAIMED', 'IN_PROGRESS', 'ORPHANED'].includes(task.status),
      );
      sinceMs = isBusy ? null : (sinceMs ?? systemClock.monotonicMs());
      if (sinceMs === null || systemClock.monotonicMs() - sinceMs < idleMs) return snapshot;
      const next = snapshot.tasks.filter(
        (task) => task.status === 'DONE' || (task.status === 'OPEN' && task.pendingDependencies === 0),
      );
      const waits = new Map<string, string>();
      for (const task of next.slice(0, maxWaits)) {
        const explained = await store.tasks.explain(task.id);
        if (!routine.includes(explained.cause)) waits.set(task.key, waitText(explained, systemClock.now()));
      }
      return { ...snapshot, waits };
    },
  };
}
