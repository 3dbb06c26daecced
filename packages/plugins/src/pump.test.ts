import type { Log } from '@baton/contracts';
import { manualClock, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createPluginBus, type PluginBus } from './bus.ts';
import type { FeedItem } from './feed-item.ts';
import { definePlugin, type Plugin } from './plugin.ts';
import type { FeedSource } from './pump.ts';
import { recordedMove } from './testing.ts';

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A feed in memory, with the cursors that a store would keep. */
function feedOf(
  count: number,
): FeedSource & { items: FeedItem[]; cursors: Map<string, number>; reads: number[] } {
  const items: FeedItem[] = Array.from({ length: count }, (_, index) =>
    recordedMove({ position: index + 1, entityId: `t${index % 3}` }),
  );
  const cursors = new Map<string, number>();
  const reads: number[] = [];
  return {
    items,
    cursors,
    reads,
    pageSize: 10,
    pollMs: 5,
    async read(after, limit) {
      reads.push(after);
      return items.filter(({ position }) => position > after).slice(0, limit);
    },
    getCursor: async (name) => cursors.get(name) ?? 0,
    setCursor: async (name, position) => void cursors.set(name, position),
  };
}

function observing(name: string, observe: (item: FeedItem) => void | Promise<void>): Plugin {
  return definePlugin({ name, version: '1.0.0', setup: (api) => api.observe('event:any', observe) });
}

async function setUp(
  ...plugins: Plugin[]
): Promise<{ bus: PluginBus; clock: ReturnType<typeof manualClock> }> {
  const clock = manualClock();
  const entries = plugins.map((plugin) => ({ plugin }));
  const bus = createPluginBus({
    plugins: entries,
    log: quiet,
    clock,
    directory: '/nonexistent',
    deadlineMs: 20,
  });
  await bus.setup();
  return { bus, clock };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('an observer gets every event in order, and its place is kept', async () => {
  const seen: number[] = [];
  const feed = feedOf(25);
  const { bus } = await setUp(observing('all', ({ position }) => void seen.push(position)));
  const pump = bus.feed(feed);
  expect(await pump.runOnce()).toBe(10);
  await pump.drain();
  expect(seen).toEqual(upTo(25));
  expect(feed.cursors).toEqual(new Map([['plugin:all', 25]]));
});

test('an observer gets only the hooks it asked for', async () => {
  const seen: string[] = [];
  const picky = definePlugin({
    name: 'picky',
    version: '1.0.0',
    setup: (api) => api.observe('task:closed', (move) => void seen.push(`${move.entityId} ${move.to}`)),
  });
  const feed = feedOf(5);
  feed.items[3] = recordedMove({ position: 4, from: 'DONE', to: 'CLOSED', event: 'verify_pass' });
  const { bus } = await setUp(picky);
  await bus.feed(feed).drain();
  expect(seen).toEqual(['t1 CLOSED']);
});

test.each(upTo(12))(
  'stopped after event %d and started again, an observer has seen every event',
  async (stopAfter) => {
    const feed = feedOf(12);
    const seen: number[] = [];
    const crash = new Error('the process dies');
    const first = await setUp(
      observing('p', ({ position }) => {
        if (seen.length >= stopAfter) throw crash;
        seen.push(position);
      }),
    );
    await first.bus.feed(feed).runOnce();
    const second = await setUp(observing('p', ({ position }) => void seen.push(position)));
    await second.bus.feed(feed).drain();
    expect(new Set(seen)).toEqual(new Set(upTo(12)));
  },
);

test('a place that could not be kept means that events come again, not that they are lost', async () => {
  const feed = feedOf(12);
  const seen: number[] = [];
  const { bus } = await setUp(observing('p', ({ position }) => void seen.push(position)));
  const failing = { ...feed, setCursor: () => Promise.reject(new Error('database down')) };
  await expect(bus.feed(failing).runOnce()).rejects.toThrow('database down');
  await bus.feed(feed).drain();
  expect(seen).toEqual([...upTo(10), ...upTo(12)]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['hangs', () => new Promise<void>(() => {})],
  [
    'scribbles on the event',
    (item: FeedItem) => {
      item.at.setTime(0);
      if (item.machine !== 'stream') Object.assign(item.metadata, { evil: true });
      Object.assign(item, { position: 999 });
    },
  ],
])('beside a plugin that %s the others see every event as it is', async (_, misbehave) => {
  const feed = feedOf(30);
  const expected = structuredClone(feed.items);
  const seen: FeedItem[] = [];
  const { bus } = await setUp(
    observing('bad', misbehave),
    observing('good', (item) => void seen.push(item)),
  );
  const pump = bus.feed(feed);
  for (let pass = 0; pass < 12; pass += 1) await pump.runOnce();
  expect(seen).toEqual(expected);
  const [bad, good] = bus.report();
  expect(bad?.observers).toMatchObject({ cutOff: true, failures: 5, delivered: 0 });
  expect(good?.observers).toMatchObject({ cutOff: false, failures: 0, delivered: 30 });
});

test('a slow plugin delays no other', async () => {
  const feed = feedOf(50);
  const held: (() => void)[] = [];
  const seen: number[] = [];
  const { bus } = await setUp(
    observing('slow', () => new Promise((resolve) => held.push(resolve))),
    observing('quick', ({ position }) => void seen.push(position)),
  );
  const pump = bus.feed(feed);
  pump.start();
  await until(() => seen.length === 50, { what: 'the quick plugin has seen all' });
  expect(bus.report()[0]?.observers?.delivered).toBe(0);
  expect(held.length).toBeGreaterThan(0);
  await bus.teardown();
});

test('a plugin that recovers continues at the event it failed on', async () => {
  const feed = feedOf(8);
  let down = true;
  const seen: number[] = [];
  const { bus, clock } = await setUp(
    observing('moody', ({ position }) => {
      if (down && position >= 4) throw new Error('down');
      seen.push(position);
    }),
  );
  const pump = bus.feed(feed);
  for (let pass = 0; pass < 10; pass += 1) await pump.runOnce();
  expect(bus.report()[0]?.observers).toMatchObject({ position: 3, cutOff: true, failures: 5 });
  down = false;
  clock.advance(30_000);
  await pump.drain();
  expect(seen).toEqual(upTo(8));
  expect(bus.report()[0]?.observers).toMatchObject({ cutOff: false, setAside: [] });
});

test('an event that a plugin never masters is set aside in the end, and told', async () => {
  const feed = feedOf(6);
  const seen: number[] = [];
  const { bus, clock } = await setUp(
    observing('allergic', ({ position }) => {
      if (position === 2) throw new Error('not this one');
      seen.push(position);
    }),
  );
  const pump = bus.feed(feed);
  for (let pass = 0; pass < 20; pass += 1) {
    await pump.runOnce();
    clock.advance(600_000);
  }
  expect(seen).toEqual([1, 3, 4, 5, 6]);
  expect(bus.report()[0]?.observers).toMatchObject({ failures: 10, setAside: [2], cutOff: false });
});

test('events that have no number yet are waited for', async () => {
  const feed = feedOf(4);
  const seen: number[] = [];
  const { bus } = await setUp(observing('p', ({ position }) => void seen.push(position)));
  const unnumbered = {
    ...feed,
    read: async (after: number, limit: number) => [
      ...(await feed.read(after, limit)),
      { ...recordedMove(), position: null },
    ],
  };
  await bus.feed(unnumbered).drain();
  expect(seen).toEqual([1, 2, 3, 4]);
});

test('twenty plugins at one place share what is read', async () => {
  const feed = feedOf(100);
  let delivered = 0;
  const plugins = Array.from({ length: 20 }, (_, index) =>
    observing(`p${index}`, () => void (delivered += 1)),
  );
  const { bus } = await setUp(...plugins);
  await bus.feed(feed).drain();
  expect(delivered).toBe(2_000);
  // Ten full pages, once each; the empty page at the end is nobody's to keep.
  expect(feed.reads.filter((after) => after < 100)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});

test('new events come while the pump runs, and after it is stopped none does', async () => {
  const feed = feedOf(1);
  const seen: number[] = [];
  const { bus } = await setUp(observing('p', ({ position }) => void seen.push(position)));
  const pump = bus.feed({ ...feed, pollMs: 60_000 });
  pump.start();
  await until(() => seen.length === 1, { what: 'the first event' });
  feed.items.push(recordedMove({ position: 2 }));
  await until(() => (pump.wake(), seen.length === 2), { what: 'the second event' });
  await pump.stop();
  feed.items.push(recordedMove({ position: 3 }));
  pump.wake();
  expect(seen).toEqual([1, 2]);
});

test('a feed that cannot be read for a while is read again', async () => {
  const feed = feedOf(3);
  let down = 3;
  const seen: number[] = [];
  const { bus } = await setUp(observing('p', ({ position }) => void seen.push(position)));
  const flaky: FeedSource = {
    ...feed,
    read: (after, limit) => (down-- > 0 ? Promise.reject(new Error('down')) : feed.read(after, limit)),
  };
  const pump = bus.feed(flaky);
  pump.start();
  await until(() => seen.length === 3, { what: 'all events' });
  await pump.stop();
  expect(seen).toEqual([1, 2, 3]);
});
