import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';
import type { RunStatus } from '@baton/task-store';

import type { StoreAccess } from '../open-store.ts';
import { allTasks } from '../with-store.ts';
import type { RunSnapshot } from './progress-lines.ts';

/** Looking more often shows nothing more to a person, and costs the store four queries each time. */
const minPauseMs = 250;
/** Polling is the truth; being woken only makes it faster. */
const pollMs = 1_000;

/** States of a run in which it waits for nothing but its own agents. */
const moving: readonly RunStatus[] = ['running', 'paused'];

/** Reads a run as it is now. */
export async function takeSnapshot(
  { store }: Pick<StoreAccess, 'store'>,
  runId: string,
): Promise<RunSnapshot> {
  const [run, tasks, attempts, sessions, landings] = await Promise.all([
    store.getRun(runId),
    allTasks(store, runId),
    store.listAttempts({ runId }),
    store.sessions({ runId, live: true }),
    store.landings({ runId }),
  ]);
  if (!run) throw new BatonError('NOT_FOUND', `The run ${runId} is gone.`, { fix: 'See `baton runs`.' });
  return {
    run,
    tasks,
    attempts,
    sessions,
    commits: new Map(landings.map((landing) => [landing.taskId, landing.commit])),
  };
}

/**
 * Follows a run until it needs no more agents, or until `signal`. A database that is away is waited for, and started
 * again when it is ours.
 * @returns the last snapshot
 */
export async function followRun(
  access: StoreAccess,
  options: {
    start: RunSnapshot;
    signal: AbortSignal;
    onChange: (before: RunSnapshot, after: RunSnapshot) => void;
  },
): Promise<RunSnapshot> {
  let snapshot = options.start;
  const waker = createWaker(options.signal);
  const unlisten = await access.store.onWake('events', waker.wake);
  try {
    while (!options.signal.aborted) {
      const next = await lookAgain(access, snapshot);
      options.onChange(snapshot, next);
      snapshot = next;
      if (!moving.includes(snapshot.run.status)) break;
      await waker.wait();
    }
    return snapshot;
  } finally {
    await unlisten();
  }
}

async function lookAgain(access: StoreAccess, last: RunSnapshot): Promise<RunSnapshot> {
  try {
    await access.ensureRunning();
    return await takeSnapshot(access, last.run.id);
  } catch (error) {
    if (BatonError.is(error) && error.retryable) return last; // the next look tells
    throw error;
  }
}

/** Waits to be woken, for a pause at least and a poll at most. */
function createWaker(signal: AbortSignal): { wake: () => void; wait: () => Promise<void> } {
  let wake = (): void => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    wake: () => wake(),
    async wait() {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const over = new AbortController();
      const poll = delay(pollMs, undefined, { signal: over.signal }).catch(() => undefined);
      if (!signal.aborted) await Promise.race([woken, poll]);
      over.abort();
      if (!signal.aborted) await delay(minPauseMs);
    },
  };
}
