import type { Log } from '@baton/contracts';
import { manualClock, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createPluginBus } from './bus.ts';
import type { FeedItem } from './feed-item.ts';
import { definePlugin, type Plugin, type PluginApi } from './plugin.ts';
import type { FeedSource } from './pump.ts';
import { recordedMove } from './testing.ts';

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

function plugin(name: string, setup: (api: PluginApi<undefined>) => void): Plugin {
  return definePlugin({ name, version: '1.0.0', setup });
}

async function busOf(...plugins: Plugin[]) {
  const clock = manualClock();
  const entries = plugins.map((each) => ({ plugin: each }));
  const bus = createPluginBus({
    plugins: entries,
    log: quiet,
    clock,
    directory: '/nonexistent',
    deadlineMs: 50,
  });
  await bus.setup();
  return { bus, clock };
}

function feedOf(count: number): FeedSource & { items: FeedItem[]; cursors: Map<string, number> } {
  const items: FeedItem[] = upTo(count).map((position) => recordedMove({ position }));
  const cursors = new Map<string, number>();
  return {
    ...{ items, cursors, pageSize: 10, pollMs: 60_000 },
    read: async (after, limit) => items.filter(({ position }) => position > after).slice(0, limit),
    getCursor: async (name) => cursors.get(name) ?? 0,
    setCursor: async (name, position) => void cursors.set(name, position),
  };
}

test('every handler of a hook and of every hook that fits is called, in the order of their making', async () => {
  const seen: string[] = [];
  const { bus } = await busOf(
    plugin('several', (api) => {
      api.observe('event:any', () => void seen.push('first'));
      api.observe('event:any', () => void seen.push('second'));
      api.observe('task:claimed', () => void seen.push('claimed'));
    }),
  );
  await bus.feed(feedOf(1)).drain();
  expect(seen.toSorted()).toEqual(['claimed', 'first', 'second']);
  expect(seen.indexOf('first')).toBeLessThan(seen.indexOf('second'));
});

test('failures of one event do not count for the next, and those that were set aside last are reported', async () => {
  const seen: number[] = [];
  const tries = new Map<number, number>();
  const { bus, clock } = await busOf(
    plugin('moody', (api) => {
      api.observe('event:any', ({ position }) => {
        const tried = (tries.get(position) ?? 0) + 1;
        tries.set(position, tried);
        if (position <= 3 ? tried <= 6 : position <= 28) throw new Error('down');
        seen.push(position);
      });
    }),
  );
  const pump = bus.feed(feedOf(30));
  for (let idle = 0; idle < 12;) {
    idle = (await pump.runOnce()) === 0 ? idle + 1 : 0;
    clock.advance(600_000);
  }
  expect(seen).toEqual([1, 2, 3, 29, 30]);
  expect(bus.report()[0]?.observers).toMatchObject({
    position: 30,
    setAside: upTo(20, 9),
    failures: 3 * 6 + 25 * 10,
  });
});

test('the place of an observer is kept past a single event, before the one that it fails on', async () => {
  const feed = feedOf(2);
  const { bus } = await busOf(
    plugin('p', (api) => {
      api.observe('event:any', ({ position }) => {
        if (position === 2) throw new Error('down');
      });
    }),
  );
  await bus.feed(feed).runOnce();
  expect([...feed.cursors]).toEqual([['plugin:p', 1]]);
});

test('draining, waking and stopping are for all observers, and one that was stopped continues when it is started again', async () => {
  const seen: Record<string, number[]> = { one: [], two: [], three: [] };
  const { bus } = await busOf(
    ...Object.entries(seen).map(([name, positions]) =>
      plugin(name, (api) =>
        api.observe('event:any', async ({ position }) => {
          if (name === 'three') await new Promise((resolve) => setImmediate(resolve));
          positions.push(position);
        }),
      ),
    ),
  );
  const feed = feedOf(25);
  const pump = bus.feed(feed);
  await pump.drain();
  expect(Object.values(seen)).toEqual([upTo(25), upTo(25), upTo(25)]);
  expect(bus.report().map(({ observers }) => observers?.delivered)).toEqual([25, 25, 25]);
  pump.start();
  for (const round of [26, 27]) {
    feed.items.push(recordedMove({ position: round }));
    await until(() => (pump.wake(), Object.values(seen).every((positions) => positions.length === round)), {
      what: `event ${round} at every observer`,
    });
    await pump.stop();
    pump.start();
  }
  const last = bus.feed(feedOf(3));
  last.start();
  await bus.teardown();
  feed.items.push(recordedMove({ position: 28 }));
  pump.wake();
  await pump.drain();
  expect(seen['one']).not.toContain(28);
});

test('a report covers the pump that was made last', async () => {
  const { bus } = await busOf(plugin('p', (api) => api.observe('event:any', () => {})));
  await bus.feed(feedOf(5)).drain();
  await bus.feed(feedOf(2)).drain();
  expect(bus.report()[0]?.observers?.delivered).toBe(2);
});

test('every interceptor of a plugin is asked, each with what the one before made of it', async () => {
  const route = { runId: 'r1', taskId: 't1', role: 'docs', agent: null, model: null, effort: null };
  const { bus } = await busOf(
    plugin('several', (api) => {
      api.intercept('cost:beforeRoute', { onError: 'deny' }, () => ({ change: { model: 'm1' } }));
      api.intercept('cost:beforeRoute', { onError: 'deny' }, ({ model }) => ({
        change: { agent: `a-${model}` },
      }));
      api.intercept('cost:beforeRoute', { onError: 'deny' }, ({ agent, model }) =>
        agent === 'a-m1' && model === 'm1' ? undefined : { deny: 'not what the others made' },
      );
    }),
  );
  expect(await bus.intercept('cost:beforeRoute', route)).toEqual({
    ok: true,
    payload: { ...route, model: 'm1', agent: 'a-m1' },
  });
});

test('a change that may be made hides none that may not', async () => {
  const route = { runId: 'r1', taskId: 't1', role: 'docs', agent: null, model: null, effort: null };
  const change = { model: 'm1', role: 'root' };
  const { bus } = await busOf(
    plugin('sly', (api) =>
      api.intercept(
        'cost:beforeRoute',
        { onError: 'deny' },
        () => ({ change }) as { change: { model: string } },
      ),
    ),
  );
  expect(await bus.intercept('cost:beforeRoute', route)).toEqual({
    ...{ ok: false, by: 'sly' },
    reason: 'the plugin "sly" failed: it may not change "role" of cost:beforeRoute',
  });
});

test('teardowns of a plugin run in reverse order and all of them, whichever fails', async () => {
  const done: string[] = [];
  const { bus } = await busOf(
    plugin('several', (api) => {
      api.onTeardown(() => void done.push('made first'));
      api.onTeardown(() => Promise.reject(new Error('no')));
      api.onTeardown(() => void done.push('made last'));
    }),
  );
  expect((await bus.teardown()).failures).toHaveLength(1);
  expect(done).toEqual(['made last', 'made first']);
});

test('a plugin whose setup failed half-way is asked nothing and told nothing', async () => {
  const asked: string[] = [];
  const { bus } = await busOf(
    plugin('half', (api) => {
      api.intercept('task:claimed', { onError: 'deny' }, () => void asked.push('intercepted'));
      api.observe('event:any', () => void asked.push('observed'));
      throw new Error('no key');
    }),
  );
  const payload = { runId: 'r', workerId: 'w', tasks: [] };
  expect(await bus.intercept('task:claimed', payload)).toEqual({ ok: true, payload });
  await bus.feed(feedOf(2)).drain();
  expect(asked).toEqual([]);
});
