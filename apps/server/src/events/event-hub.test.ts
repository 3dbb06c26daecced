import type { Log } from '@baton/contracts';
import type { FeedEvent } from '@baton/task-store';
import { manualClock, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { startEventHub, type EventHub, type EventHubOptions } from './event-hub.ts';

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A feed in memory that counts how often it is read. */
function memoryFeed() {
  const events: FeedEvent[] = [];
  let generation = 0;
  const feed = {
    reads: 0,
    /** Only so many are left, as in a standby that lacked the end. */
    setBack(count: number) {
      events.length = count;
      generation += 1;
    },
    add(count: number, runId = 'run-1') {
      for (let n = 0; n < count; n += 1) events.push(event(events.length + 1, runId, generation));
    },
    feed: {
      position: async () => events.length,
      read: async ({ after, limit, runId }: { after: number; limit: number; runId?: string }) => {
        feed.reads += 1;
        const found = events.filter(
          ({ position, ...rest }) => (position ?? 0) > after && (!runId || rest.runId === runId),
        );
        return found.slice(0, limit);
      },
    },
  };
  return feed;
}

function event(position: number, runId: string, generation: number): FeedEvent {
  return {
    id: `event-${generation}-${position}`,
    position,
    machine: 'task',
    entityId: 'task-1',
    runId,
    taskId: 'task-1',
    taskKey: 'one',
    taskTitle: 'One',
    seq: position,
    version: 1,
    from: 'OPEN',
    to: 'CLAIMED',
    event: 'CLAIMED',
    alias: null,
    kind: 'move',
    actor: 'test',
    reason: 'test',
    transitionReason: null,
    abortReason: null,
    trigger: null,
    metadata: {},
    at: new Date(0),
  };
}

async function withHub(
  options: Partial<EventHubOptions> & { store: EventHubOptions['store'] },
  use: (hub: EventHub) => Promise<void>,
): Promise<void> {
  const hub = await startEventHub({ clock: manualClock(), log: silent, pollMs: 5, ...options });
  try {
    await use(hub);
  } finally {
    await hub.stop();
  }
}

/** Takes `count` positions, then ends the subscription. */
async function take(
  hub: EventHub,
  count: number,
  options: { after: number; runId?: string },
): Promise<number[]> {
  const stop = new AbortController();
  const positions: number[] = [];
  for await (const { position } of hub.subscribe({ ...options, signal: stop.signal })) {
    if (positions.push(position ?? 0) === count) stop.abort();
  }
  return positions;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a subscriber gets every event after its position, old ones and new ones, in order', async () => {
  const store = memoryFeed();
  store.add(700);
  await withHub({ store }, async (hub) => {
    const taken = take(hub, 1_300, { after: 50 });
    await until(() => hub.size === 1, { what: 'the subscriber is there' });
    store.add(650);
    expect(await taken).toEqual(range(51, 1_350));
  });
});

test('a subscriber that falls out of the window continues from the store without a gap', async () => {
  const store = memoryFeed();
  await withHub({ store, windowSize: 10 }, async (hub) => {
    const stop = new AbortController();
    const events = hub.subscribe({ after: 0, signal: stop.signal });
    store.add(3);
    expect((await events.next()).value?.position).toBe(1);
    store.add(1_000);
    await until(() => store.reads > 3, { what: 'the hub has read on' });
    const rest: number[] = [];
    while (rest.length < 1_002) rest.push((await events.next()).value?.position ?? 0);
    expect(rest).toEqual(range(2, 1_003));
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });
});

test('a subscriber of one run gets its events only, however far apart they lie', async () => {
  const store = memoryFeed();
  store.add(2);
  store.add(1_200, 'run-2');
  store.add(1);
  await withHub({ store, windowSize: 10 }, async (hub) => {
    const taken = take(hub, 5, { after: 0, runId: 'run-1' });
    await until(() => hub.size === 1, { what: 'the subscriber is there' });
    store.add(50, 'run-2');
    store.add(2);
    expect(await taken).toEqual([1, 2, 1_203, 1_254, 1_255]);
  });
});

test('many subscribers at the head share one reader', async () => {
  const store = memoryFeed();
  await withHub({ store, pollMs: 60_000 }, async (hub) => {
    const taken = Array.from({ length: 50 }, () => take(hub, 100, { after: 0 }));
    await until(() => hub.size === 50, { what: 'all subscribers are there' });
    const before = store.reads;
    store.add(100);
    hub.wake();
    for (const positions of await Promise.all(taken)) expect(positions).toEqual(range(1, 100));
    expect(store.reads - before).toBe(1);
  });
});

test('a subscriber that takes nothing is disconnected after a while, one that waits is not', async () => {
  const store = memoryFeed();
  const clock = manualClock();
  await withHub({ store, clock, stallMs: 1_000 }, async (hub) => {
    const ended: string[] = [];
    const signal = new AbortController().signal;
    const slow = hub.subscribe({ after: 0, signal, disconnect: () => ended.push('slow') });
    const waiting = hub.subscribe({ after: 1, signal, disconnect: () => ended.push('waiting') });
    store.add(1);
    expect((await slow.next()).value?.position).toBe(1);
    const next = waiting.next();
    await until(() => hub.size === 2, { what: 'both are there' });
    clock.advance(1_001);
    await until(() => ended.length > 0, { what: 'one was disconnected' });
    expect(ended).toEqual(['slow']);
    store.add(1);
    expect((await next).value?.position).toBe(2);
  });
});

test.each([0, 1, 30])(
  'when the log is set back and %d events came since, subscribers are disconnected, and new ones get what is there',
  async (since) => {
    const store = memoryFeed();
    await withHub({ store }, async (hub) => {
      const stop = new AbortController();
      const events = hub.subscribe({ after: 0, signal: stop.signal, disconnect: () => stop.abort() });
      store.add(20);
      for (const position of range(1, 20)) expect((await events.next()).value?.position).toBe(position);
      let ended: IteratorResult<FeedEvent, void> | null = null;
      void events.next().then((result) => (ended = result));
      store.setBack(10);
      store.add(since);
      await until(() => ended !== null, { what: 'the subscriber hears of it', timeoutMs: 3_000 });
      expect(ended).toMatchObject({ done: true });
      const taken = take(hub, since + 2, { after: 10 });
      store.add(2);
      expect(await taken).toEqual(range(11, 12 + since));
    });
  },
);

test('a subscriber that is aborted while it waits leaves nothing behind', async () => {
  await withHub({ store: memoryFeed() }, async (hub) => {
    const stop = new AbortController();
    const next = hub.subscribe({ after: 0, signal: stop.signal }).next();
    await until(() => hub.size === 1, { what: 'the subscriber is there' });
    stop.abort();
    expect((await next).done).toBe(true);
    expect(hub.size).toBe(0);
  });
});

test('a store that fails for a while delays events and loses none', async () => {
  const store = memoryFeed();
  let broken = true;
  const flaky = {
    ...store,
    feed: {
      ...store.feed,
      read: (options: { after: number; limit: number }) =>
        broken ? Promise.reject(new Error('down')) : store.feed.read(options),
    },
  };
  await withHub({ store: flaky }, async (hub) => {
    const taken = take(hub, 3, { after: 0 });
    store.add(3);
    broken = false;
    expect(await taken).toEqual([1, 2, 3]);
  });
});
