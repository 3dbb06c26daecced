import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { manualClock, until } from '@baton/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBench, keptLog, type Bench } from './support.ts';

let bench: Bench;
let triggersFile: string;

beforeEach(async () => {
  bench = await createBench();
  triggersFile = path.join(bench.folder, 'triggers.yaml');
});
afterEach(() => bench[Symbol.asyncDispose]());

const nightly = (more = '') => `rules:
  - name: audit
    source: schedule
    schedule: { cron: '* * * * *' }
    task: { title: Audit the dependencies }
${more}`;
const minute = 60_000;

/** Written beside and renamed, as editors do, so that nobody reads half a file. */
async function write(text: string): Promise<void> {
  await writeFile(`${triggersFile}.new`, text);
  await rename(`${triggersFile}.new`, triggersFile);
}

const ticks = async () =>
  (await bench.store.inbox.deliveries({ limit: 100 }))
    .filter(({ taskIds }) => taskIds.length > 0)
    .map(({ deliveryId }) => deliveryId);
const taskCount = async () => (await bench.store.audit.counts())['total'] ?? 0;

test('two servers on one store make exactly one task per tick, and one of them is enough', async () => {
  await write(nightly());
  const clock = manualClock(new Date(Date.UTC(2026, 0, 1, 0, 0, 30)));
  const one = await bench.serve({ triggersFile }, { clock });
  await bench.serve({ triggersFile }, { clock });
  for (let count = 1; count <= 3; count += 1) {
    clock.advance(minute);
    await until(async () => (await ticks()).length === count, { what: `tick ${count} was taken` });
  }
  await one.close();
  clock.advance(minute);
  await until(async () => (await ticks()).length === 4, { what: 'the other server took the fourth tick' });
  expect((await ticks()).sort()).toEqual([1, 2, 3, 4].map((n) => `audit@2026-01-01T00:0${n}:00.000Z`));
  expect(await taskCount()).toBe(4);
  const { items } = await bench.store.tasks.list({});
  expect(items.every(({ status, source }) => status === 'OPEN' && source.by === 'audit')).toBe(true);
  expect(new Set(items.map(({ runId }) => runId)).size).toBe(1);
});

test('a tick that passed while no server was there is made up for once', async () => {
  await write(nightly());
  const clock = manualClock(new Date(Date.UTC(2026, 0, 1, 0, 0, 30)));
  const first = await bench.serve({ triggersFile }, { clock });
  const cursor = 'schedule:audit:* * * * *:UTC';
  await until(async () => (await bench.store.feed.getCursor(cursor)) > 0, { what: 'the schedule has begun' });
  await first.close();
  clock.advance(60 * minute);
  await bench.serve({ triggersFile }, { clock });
  await until(async () => (await ticks()).length === 2, {
    what: 'the missed and the current tick were taken',
  });
  expect((await ticks()).sort()).toEqual([
    'audit@2026-01-01T00:59:00.000Z',
    'audit@2026-01-01T01:00:00.000Z',
  ]);
});

test('rules are read again when their file changes; a broken edit is reported with its place and changes nothing', async () => {
  await write(nightly());
  const { log, lines } = keptLog();
  const server = await bench.serve({ triggersFile }, { log });
  const viewer = await bench.client(server, 'viewer');
  const names = async () => (await viewer.triggers.rules.query()).rules.map(({ name }) => name);
  expect(await names()).toEqual(['audit']);
  const second = `  - name: on-deploy
    source: webhook
    task: { title: Look }
`;
  await write(nightly(second));
  await until(async () => (await names()).length === 2, { what: 'the new rule is there' });
  await write(nightly(second.replace('source: webhook', 'source: webhook\n    coldown: 5')));
  const problem = await until(async () => (await viewer.triggers.rules.query()).problem, {
    what: 'the problem is told',
  });
  expect(problem).toContain('unknown key "coldown"');
  expect(await names()).toEqual(['audit', 'on-deploy']);
  expect(await viewer.observability.health.query()).toMatchObject({ ok: false, triggersProblem: problem });
  const told = lines.filter(({ level }) => level === 'error');
  expect(told).toHaveLength(1);
  expect(told[0]?.fields?.['at']).toContain('triggers.yaml:8:');
  await rm(triggersFile);
  await until(async () => (await viewer.triggers.rules.query()).problem !== problem, {
    what: 'the loss is told',
  });
  expect(await names()).toEqual(['audit', 'on-deploy']);
  await write(nightly());
  await until(async () => (await names()).length === 1, { what: 'the repaired rules hold' });
  expect((await viewer.triggers.rules.query()).problem).toBeNull();
});

test('what an event would do can be asked, and nothing comes of it', async () => {
  await write(nightly());
  const server = await bench.serve({ triggersFile });
  const viewer = await bench.client(server, 'viewer');
  const event = {
    source: 'schedule',
    deliveryId: 'audit@x',
    kind: 'schedule',
    receivedAt: '2026-01-01T00:00:00.000Z',
    sender: null,
    trusted: true,
    data: { rule: 'audit', long: 'x'.repeat(50_000) },
  };
  expect(await viewer.triggers.test.query({ event })).toMatchObject([
    { rule: 'audit', fires: true, planned: false },
  ]);
  const other = { ...event, data: { rule: 'other' } };
  expect(await viewer.triggers.test.query({ event: other })).toMatchObject([
    { fires: false, why: ['the tick is of another rule'] },
  ]);
  expect([await taskCount(), await bench.store.inbox.deliveries({ limit: 5 })]).toEqual([0, []]);
});

test('a server does not start on rules that are wrong or missing', async () => {
  await expect(bench.serve({ triggersFile })).rejects.toMatchObject({ code: 'FILE_MISSING' });
  await write('rules: [{ nmae: x }]');
  await expect(bench.serve({ triggersFile })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a triggered task that a plugin refuses is not made; its delivery is taken all the same', async () => {
  await write(nightly());
  const clock = manualClock();
  const { log, lines } = keptLog();
  const plugins = [{ name: 'task-guard', options: { requireFiles: true } }];
  await bench.serve({ triggersFile, plugins }, { clock, log });
  const begun = 'schedule:audit:* * * * *:UTC';
  await until(async () => (await bench.store.feed.getCursor(begun)) > 0, { what: 'the schedule has begun' });
  clock.advance(minute);
  const delivery = await until(async () => (await bench.store.inbox.deliveries({ limit: 1 }))[0], {
    what: 'the tick was taken',
  });
  expect(delivery.taskIds).toEqual([]);
  expect(await taskCount()).toBe(0);
  expect(
    lines.find(({ message }) => message === 'a triggered task was refused')?.fields?.['reason'],
  ).toContain('task-guard');
});

test('rules that are written after the start of a server on their repository hold', async () => {
  const server = await bench.serve({ triggersFile: null, repo: bench.folder });
  const viewer = await bench.client(server, 'viewer');
  const rules = () => viewer.triggers.rules.query();
  expect(await rules()).toMatchObject({ file: null, problem: null, rules: [] });
  await write(nightly());
  await until(async () => (await rules()).rules.length === 1, { what: 'the new file is read' });
  expect(await rules()).toMatchObject({ file: triggersFile, problem: null });
});
