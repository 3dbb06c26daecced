import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Log } from '@baton/contracts';
import type { StorePart, FeedEvent } from '@baton/task-store';
import { startTicker } from '@baton/service';
import { createEventWindow, positionOf, type EventWindow } from './event-window.ts';
import { createTurns, type Turns } from './turns.ts';

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
  /** Events after a position, without gaps and in order, until the signal aborts. */
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

/** What the reader and its subscribers share. */
interface Hub {
  store: EventHubOptions['store'];
  clock: Clock;
  window: EventWindow;
  windowSize: number;
  /** The newest event that was read. */
  last: FeedEvent | null;
  subscribers: Set<Subscriber>;
  /** Reads for subscribers that are behind the window. */
  readers: Turns;
  /** Called after each event that is given out. */
  yieldTurn: () => Promise<void>;
}

const pageSize = 500;
/**
 * Events given out, to all subscribers together, before the process looks at anything else: requests wait that long.
 */
const eventsATurn = 100;
/** Subscribers behind the window that read the store at once. */
const readersAtOnce = 2;

/**
 * Starts the reader. Memory is bounded whatever subscribers do: there is one window for all, and a subscriber is only a
 * position in it. Who falls out of the window reads pages from the store, one at a time as it takes them.
 */
export async function startEventHub(options: EventHubOptions): Promise<EventHub> {
  const { store, clock, log, windowSize = 2_000, stallMs = 60_000, pollMs = 1_000 } = options;
  const hub: Hub = {
    store,
    clock,
    window: createEventWindow({ start: await store.feed.position(), size: windowSize }),
    windowSize,
    last: null,
    subscribers: new Set(),
    readers: createTurns({ atOnce: readersAtOnce, waiting: Infinity }),
    yieldTurn: yieldEvery(eventsATurn),
  };
  const ticker = startTicker('reading the event feed', {
    everyMs: pollMs,
    log,
    run: async () => {
      endStalled(hub, { log, stallMs });
      if (await wasSetBack(hub)) await startOver(hub, log);
      await readNew(hub, options.onEvent);
    },
  });
  return {
    subscribe: (subscription) => eventsFor(hub, subscription),
    wake: () => ticker.wake(),
    get size() {
      return hub.subscribers.size;
    },
    stop: () => ticker.stop(),
  };
}

/** Adds new events to the window and wakes the subscribers. */
async function readNew(hub: Hub, onEvent: EventHubOptions['onEvent']) {
  const { store, window, subscribers } = hub;
  for (;;) {
    const events = await store.feed.read({ after: window.head, limit: pageSize });
    for (const event of events) {
      window.add(event);
      hub.last = event;
      onEvent?.(event);
    }
    window.trim();
    if (events.length > 0) for (const subscriber of subscribers) subscriber.wake();
    if (events.length < pageSize) return;
  }
}

/** Whether the log is another one than what was read of it: a standby that lacked its end, or an older copy, took the database's place. */
async function wasSetBack({ store, window, last }: Hub): Promise<boolean> {
  if (last !== null) {
    const [same] = await store.feed.read({ after: positionOf(last) - 1, limit: 1 });
    // An archived one is not there any more.
    if (same !== undefined && positionOf(same) === positionOf(last)) return same.id !== last.id;
  }
  return (await store.feed.position()) < window.head;
}

/** A subscriber with events that are no longer in the log asks again by its last id, which is then refused with the way out. */
async function startOver(hub: Hub, log: Log): Promise<void> {
  const start = await hub.store.feed.position();
  log.error('the log of the database was set back; every subscriber is disconnected', {
    ...{ had: hub.window.head, has: start },
  });
  hub.window = createEventWindow({ start, size: hub.windowSize });
  hub.last = null;
  for (const { disconnect } of hub.subscribers) disconnect();
}

function endStalled({ clock, subscribers }: Hub, { log, stallMs }: { log: Log; stallMs: number }): void {
  for (const subscriber of subscribers) {
    if (subscriber.offeredAtMs === null || clock.monotonicMs() - subscriber.offeredAtMs < stallMs) continue;
    log.warn('a subscriber takes no events; its connection is ended', { stallMs });
    subscriber.offeredAtMs = null;
    subscriber.disconnect();
  }
}

async function* eventsFor(
  hub: Hub,
  { after, runId, signal, disconnect }: Subscription,
): AsyncGenerator<FeedEvent, void> {
  let position = after;
  let woken = Promise.withResolvers<void>();
  const subscriber: Subscriber = {
    wake: () => woken.resolve(),
    offeredAtMs: null,
    disconnect: disconnect ?? (() => undefined),
  };
  signal.addEventListener('abort', subscriber.wake, { once: true });
  hub.subscribers.add(subscriber);
  try {
    while (!signal.aborted) {
      if (position >= hub.window.head) {
        await woken.promise;
        woken = Promise.withResolvers<void>();
        continue;
      }
      const batch = await nextBatch(hub, { after: position, runId });
      for (const event of batch.events) {
        if (signal.aborted) return;
        subscriber.offeredAtMs = hub.clock.monotonicMs();
        yield event;
        subscriber.offeredAtMs = null;
        await hub.yieldTurn();
      }
      position = batch.position;
    }
  } finally {
    hub.subscribers.delete(subscriber);
    signal.removeEventListener('abort', subscriber.wake);
  }
}

/** The next events of a subscriber and its position afterwards. */
async function nextBatch(
  { store, window, readers }: Hub,
  { after, runId }: { after: number; runId: string | undefined },
): Promise<{ events: readonly FeedEvent[]; position: number }> {
  const newest = window.after(after, runId);
  if (newest !== null) return { events: newest, position: Math.max(after, window.head) };
  const readTo = window.head;
  const range = { after, limit: pageSize, ...(runId === undefined ? {} : { runId }) };
  const events = await readers.take('feed', () => store.feed.read(range));
  const last = events.at(-1);
  // A page that is not full holds all that there was; where the run is silent the position moves on all the same.
  if (events.length < pageSize) return { events, position: Math.max(readTo, last ? positionOf(last) : 0) };
  return { events, position: last ? positionOf(last) : readTo };
}

/** Lets the process do everything else once in so many calls. */
function yieldEvery(calls: number): () => Promise<void> {
  let made = 0;
  let turn: Promise<void> | null = null;
  return async () => {
    made += 1;
    if (made < calls && turn === null) return;
    turn ??= nextTurn().then(() => {
      made = 0;
      turn = null;
    });
    await turn;
  };
}
