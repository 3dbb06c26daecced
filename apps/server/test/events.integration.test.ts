import { until } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatonClient, type BatonClient } from '../src/client.ts';
import type { RunningServer } from '../src/compose.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, feedEnd, type Bench } from './support.ts';

let bench: Bench;
let server: RunningServer;
let operator: BatonClient;
let runId: string;

beforeAll(async () => {
  bench = await createBench();
  server = await bench.serve();
  operator = await bench.client(server, 'operator');
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  runId = run.id;
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Follows the feed and keeps the positions that came. */
function follow(client: BatonClient, input: { lastEventId?: string; runId?: string } = {}) {
  const positions: number[] = [];
  const errors: unknown[] = [];
  let started = false;
  const subscription = client.events.feed.subscribe(input, {
    onStarted: () => (started = true),
    onData: ({ id }) => void positions.push(Number(id)),
    onError: (error) => void errors.push(error),
  });
  return {
    positions,
    errors,
    stop: () => subscription.unsubscribe(),
    ready: () => until(() => started, { what: 'the subscription has started' }),
    reached: (position: number) =>
      until(() => positions.at(-1) === position, { what: `event ${position} has come`, timeoutMs: 20_000 }),
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function addTasks(prefix: string, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, (_, index) => draft(`${prefix}-${index}`));
  await operator.tasks.create.mutate({ runId, tasks });
}

test('every event comes once, in order, without a gap, to a client that comes back with its last id', async () => {
  const viewer = await bench.client(server, 'viewer');
  const first = follow(viewer, { lastEventId: '0' });
  await addTasks('a', 20);
  const half = await feedEnd(bench.store);
  await first.reached(half);
  first.stop();
  await addTasks('b', 20);
  const second = follow(viewer, { lastEventId: String(half) });
  await addTasks('c', 20);
  const end = await feedEnd(bench.store);
  await second.reached(end);
  second.stop();
  expect([...first.positions, ...second.positions]).toEqual(range(1, end));
});

test('a feed whose key was revoked gets no more events, and its client learns why', async () => {
  const key = await bench.key('viewer');
  const client = createBatonClient({ url: server.url, key });
  const following = follow(client, { lastEventId: String(await feedEnd(bench.store)) });
  await following.ready();
  await addTasks('known', 1);
  await following.reached(await feedEnd(bench.store));
  const id = (await bench.store.keys.list()).at(-1)?.id ?? '';
  await bench.store.keys.revoke(id);
  let count = 0;
  await until(
    async () => {
      await addTasks(`secret-${(count += 1)}`, 1);
      return following.errors.length > 0;
    },
    { what: 'the feed is refused' },
  );
  const seen = following.positions.length;
  await addTasks('secret-last', 2);
  await feedEnd(bench.store);
  expect(following.positions).toHaveLength(seen);
  expect(String(following.errors[0])).toContain('revoked');
  following.stop();
});

test('a subscription outlives a restart of the server without missing or repeating an event', async () => {
  const closing = await bench.serve();
  const port = Number(new URL(closing.url).port);
  const viewer = await bench.client(closing, 'viewer');
  const start = await feedEnd(bench.store);
  const following = follow(viewer, { lastEventId: String(start) });
  await following.ready();
  await addTasks('before', 5);
  await following.reached(await feedEnd(bench.store));
  await closing.close();
  await addTasks('while-away', 30);
  const reopened = await bench.serve({ port });
  await addTasks('after', 5);
  const end = await feedEnd(bench.store);
  await following.reached(end);
  following.stop();
  expect(following.positions).toEqual(range(start + 1, end));
  await reopened.close();
});

test('a client sees the events of one run only, when it asks for that', async () => {
  const other = await operator.plans.submit.mutate({ plan: twoSteps({ name: 'other' }), repo: nowhere });
  const viewer = await bench.client(server, 'viewer');
  const following = follow(viewer, { lastEventId: '0', runId: other.run.id });
  await addTasks('elsewhere', 3);
  await operator.runs.pause.mutate({ run: other.run.id, reason: 'enough' });
  const end = await feedEnd(bench.store);
  const own = await bench.store.feed.read({ after: 0, limit: 1000, runId: other.run.id });
  expect(own.length).toBeGreaterThan(2);
  expect(own.length).toBeLessThan(end);
  await following.reached(own.at(-1)?.position ?? 0);
  expect(following.positions).toEqual(own.map(({ position }) => position));
  following.stop();
});

test('a client that goes away is forgotten', async () => {
  const viewer = await bench.client(server, 'viewer');
  const health = async () => (await viewer.observability.health.query()).subscribers;
  const following = follow(viewer);
  await until(async () => (await health()) === 1, { what: 'the server knows the subscriber' });
  following.stop();
  await until(async () => (await health()) === 0, { what: 'the server has forgotten the subscriber' });
});

test('an id beyond the end of the feed, and a key that may not read, are refused', async () => {
  const viewer = await bench.client(server, 'viewer');
  const beyond = follow(viewer, { lastEventId: '999999999' });
  await until(() => beyond.errors.length > 0, { what: 'the subscription is refused' });
  expect(String(beyond.errors[0])).toContain('no event 999999999');
  const stranger = follow(await bench.client(server, 'trigger'), {});
  await until(() => stranger.errors.length > 0, { what: 'the subscription is refused' });
  expect([beyond.positions, stranger.positions]).toEqual([[], []]);
});

test('the feed can be read page by page', async () => {
  const viewer = await bench.client(server, 'viewer');
  const end = await feedEnd(bench.store);
  const seen: (number | null)[] = [];
  while (seen.length < end) {
    const page = await viewer.events.read.query({ after: seen.at(-1) ?? 0, limit: 7 });
    seen.push(...page.map(({ position }) => position));
  }
  expect(seen).toEqual(range(1, end));
  await expect(viewer.events.read.query({ after: 999_999_999 })).rejects.toMatchObject({
    data: {
      baton: { code: 'INVALID_INPUT', at: 'after', message: expect.stringContaining('no event') as string },
    },
  });
  expect(await viewer.events.read.query({ after: end, runId })).toEqual([]);
});
