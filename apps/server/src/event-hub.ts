import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Log } from '@baton/contracts';
import type { StorePart, FeedEvent } from '@baton/task-store';
import { startTicker } from '@baton/service';
import { createTurns } from './turns.ts';

/** What a subscriber wants from the feed. */
export interface Subscription {
  /** Position of the last event that the subscriber has. */
  after: number;
  runId?: string;
  signal: AbortSignal;
  /** Ends the connection of a subscriber that does not take what it is given. */
  disconnect?: () => void;
}

/** One reader of the feed for all subscribers of this server. */
export interface EventHub {
  /** Events after a position, for ever, without gaps and in order, until the signal aborts. */
  subscribe(subscription: Subscription): AsyncGenerator<FeedEvent, void>;
  /** Looks for new events at once. */
  wake(): void;
  /** Living subscribers. */
  readonly size: number;
  stop(): Promise<void>;
}

export interface EventHubOptions {
  store: StorePart<{ feed: 'read' | 'position' }>;
  clock: Clock;
  log: Log;
  /** Newest events that are kept in memory; a subscriber further behind reads the store at its own pace. */
  windowSize?: number;
  /** How long a subscriber may leave an event untaken before it is disconnected. */
  stallMs?: number;
  pollMs?: number;
  /** Sees every event once, in order. */
  onEvent?: (event: FeedEvent) => void;
}

interface Subscriber {
  wake: () => void;
  /** Since when (monotonic) an event is waiting to be taken; null: none is. */
  offeredAtMs: number | null;
  disconnect: () => void;
}

const pageSize = 500;
/** Events given out, to whomever, before the process looks at anything else: requests wait no longer than these take. */
const eventsATurn = 100;
/** Subscribers behind the window that read the store at once. */
const readersAtOnce = 2;

/**
 * Starts the reader. Memory is bounded whatever subscribers do: there is one window for all, and a subscriber is only a
 * position in it. Who falls out of the window reads pages from the store, one at a time as it takes them.
 */
export async function startEventHub(options: EventHubOptions): Promise<EventHub> {
  const { store, clock, log, windowSize = 2_000, stallMs = 60_000, pollMs = 1_000 } = options;
  const subscribers = new Set<Subscriber>();
  const window: FeedEvent[] = [];
  /** Events up to here were read; those after `floor` are in the window. */
  let head = await store.feed.position();
  let floor = head;

  const readNew = async () => {
    for (;;) {
      const events = await store.feed.read({ after: head, limit: pageSize });
      for (const event of events) {
        window.push(event);
        head = positionOf(event);
        options.onEvent?.(event);
      }
      const cut = window.splice(0, Math.max(0, window.length - windowSize)).at(-1);
      if (cut !== undefined) floor = positionOf(cut);
      if (events.length > 0) for (const subscriber of subscribers) subscriber.wake();
      if (events.length < pageSize) return;
    }
  };
  const endStalled = () => {
    for (const subscriber of subscribers) {
      if (subscriber.offeredAtMs === null || clock.monotonicMs() - subscriber.offeredAtMs < stallMs) continue;
      log.warn('a subscriber takes no events; its connection is ended', { stallMs });
      subscriber.offeredAtMs = null;
      subscriber.disconnect();
    }
  };
  const ticker = startTicker('reading the event feed', {
    everyMs: pollMs,
    log,
    run: async () => {
      endStalled();
      await readNew();
    },
  });

  let givenOut = 0;
  let turn: Promise<void> | null = null;
  /** Lets the process look at everything else, when enough was given out. */
  const breathe = async (): Promise<void> => {
    givenOut += 1;
    if (givenOut < eventsATurn && turn === null) return;
    turn ??= nextTurn().then(() => {
      givenOut = 0;
      turn = null;
    });
    await turn;
  };
  const readers = createTurns({ atOnce: readersAtOnce, waiting: Infinity });
  const readPage: typeof store.feed.read = (range) => readers.take('feed', () => store.feed.read(range));

  /** The next events of a subscriber and where it stands afterwards. */
  const next = async (after: number, runId: string | undefined) => {
    if (after >= floor) {
      const events = window.filter(
        (event) => positionOf(event) > after && (runId === undefined || event.runId === runId),
      );
      return { events, position: Math.max(after, head) };
    }
    const readTo = head;
    const events = await readPage({
      after,
      limit: pageSize,
      ...(runId === undefined ? {} : { runId }),
    });
    const last = events.at(-1);
    // A page that is not full holds all that there was; where the run is silent the position moves on all the same.
    if (events.length < pageSize) return { events, position: Math.max(readTo, last ? positionOf(last) : 0) };
    return { events, position: last ? positionOf(last) : readTo };
  };

  async function* subscribe({
    after,
    runId,
    signal,
    disconnect,
  }: Subscription): AsyncGenerator<FeedEvent, void> {
    let position = after;
    let woken = Promise.withResolvers<void>();
    const subscriber: Subscriber = {
      wake: () => woken.resolve(),
      offeredAtMs: null,
      disconnect: disconnect ?? (() => undefined),
    };
    signal.addEventListener('abort', subscriber.wake, { once: true });
    subscribers.add(subscriber);
    try {
      while (!signal.aborted) {
        if (position >= head) {
          await woken.promise;
          woken = Promise.withResolvers<void>();
          continue;
        }
        const batch = await next(position, runId);
        for (const event of batch.events) {
          if (signal.aborted) return;
          subscriber.offeredAtMs = clock.monotonicMs();
          yield event;
          subscriber.offeredAtMs = null;
          await breathe();
        }
        position = batch.position;
      }
    } finally {
      subscribers.delete(subscriber);
      signal.removeEventListener('abort', subscriber.wake);
    }
  }

  return {
    subscribe,
    wake: () => ticker.wake(),
    get size() {
      return subscribers.size;
    },
    stop: () => ticker.stop(),
  };
}

function positionOf(event: FeedEvent): number {
  return event.position ?? 0;
}
