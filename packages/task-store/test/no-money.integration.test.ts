import { expect, it } from 'vitest';
import type { Claim, Fact } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const claim = (runId: string) => held.store.claims.claimBatch(request({ runId }));
const sweep = () => held.store.claims.sweep({ actor: 'upkeep' });
const run = async (runId: string) => (await held.store.runs.get(runId)) ?? expect.fail('the run is gone');
const later = new Date('2999-01-01T00:00:00Z');
const usage = {
  ...{ model: 'm', inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costMicroUsd: null, estimated: false },
};
const dear = { maxCostMicroUsd: 600_000 };

it('finds a run that nothing but more money moves, says so like explain, and resumes it once there is more', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', dear), draft('b', { dependsOn: ['a'] })], {
    budgetMicroUsd: 500_000,
  });
  await sweep();
  expect((await run(runId)).status, 'nobody has looked for money yet').toBe('running');
  expect(await claim(runId)).toBeNull();
  await sweep();
  const { slug, ...poor } = await run(runId);
  expect(poor).toMatchObject({
    status: 'waiting',
    statusReason: `the budget has no room for a: $0.5 are left, at least $0.6 are needed; raise it with \`baton budget <usd> ${slug}\``,
  });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'budget',
    owner: 'a person',
    unblock: `baton budget <usd> ${slug}`,
  });
  expect((await held.store.tasks.explain(tasks[1]?.id ?? '')).owner).toBe('task a');
  expect((await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 550_000 })).status).toBe('waiting');
  expect(await claim(runId)).toBeNull();
  expect(await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 600_000 })).toMatchObject({
    status: 'running',
    statusReason: null,
  });
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  expect((await held.store.runs.settle(runId)).status).toBe('done');
  const moves = (await held.store.tasks.history({ machine: 'run', entityId: runId })).map(({ to }) => to);
  expect(moves.slice(0, 5)).toEqual(['running', 'waiting', 'waiting', 'waiting', 'running']);
  expect((await held.store.audit.verify()).broken).toEqual([]);
});

it('gives nothing out on a budget of nothing, and nothing to spend on a max_cost of nothing', async () => {
  const { runId, tasks } = await held.flow.open([draft('a'), draft('b', { maxCostMicroUsd: 0 })], {
    budgetMicroUsd: 0,
  });
  expect(await claim(runId)).toBeNull();
  expect(await held.store.claims.claimBatch(request({ runId, maxTasks: 3 }))).toBeNull();
  await sweep();
  const { slug, ...poor } = await run(runId);
  expect(poor).toMatchObject({
    status: 'waiting',
    statusReason: `nothing starts on a budget of $0; raise it with \`baton budget <usd> ${slug}\``,
  });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'budget',
    text: 'The budget of the run is $0, and nothing begins on that.',
    unblock: `baton budget <usd> ${slug}`,
  });
  expect(await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 1 })).toMatchObject({
    status: 'running',
  });
});

it('keeps running as long as others are at work or hold what may come back, and waits when it did not', async () => {
  const { runId, tasks } = await held.flow.open([draft('first', dear), draft('second', dear)], {
    budgetMicroUsd: 1_000_000,
  });
  const working = await held.flow.claim(runId);
  expect(await claim(runId)).toBeNull();
  await sweep();
  expect((await held.store.runs.settle(runId)).status).toBe('running');
  const second = tasks[1]?.id ?? '';
  expect(await held.store.tasks.explain(second)).toMatchObject({ owner: 'the tasks that hold reservations' });
  const { attemptId } = holding(working);
  await held.store.streams.recordUsage({ attemptId, offset: 0, usage, costMicroUsd: 500_000 });
  await held.flow.launch(working);
  await held.flow.ready(working);
  await held.flow.done(working);
  await held.flow.over(working);
  expect((await held.store.runs.settle(runId)).status, 'its work is not landed yet').toBe('running');
  await held.flow.landAll(runId);
  expect(await held.store.runs.settle(runId)).toMatchObject({
    status: 'waiting',
    statusReason: expect.stringContaining('no room for second: $0.5 are left, at least $0.6 are needed'),
  });
  expect(await held.store.tasks.explain(second)).toMatchObject({ cause: 'budget', owner: 'a person' });
});

it('hears of money that was spent after the last settling', async () => {
  const { runId } = await held.flow.open([draft('a', dear)], { budgetMicroUsd: 1_000_000 });
  const first = await held.flow.claim(runId);
  await held.flow.tell({ fact: 'released', holding: holding(first), reason: 'drained' });
  await held.flow.over(first);
  expect((await held.store.runs.settle(runId)).status).toBe('running');
  const { attemptId } = holding(first);
  await held.store.streams.recordUsage({ attemptId, offset: 0, usage, costMicroUsd: 960_000 });
  await sweep();
  expect(await run(runId)).toMatchObject({
    status: 'waiting',
    statusReason: expect.stringContaining('the budget is spent'),
  });
});

it.each([
  { because: 'budget', meanwhile: false, status: 'waiting', lifts: 'baton budget <usd>' },
  { because: 'budget', meanwhile: true, status: 'running', lifts: null },
  { because: 'price_unknown', meanwhile: true, status: 'waiting', lifts: 'baton budget none' },
  { because: 'parked', meanwhile: false, status: 'running', lifts: null },
] as const)(
  'is $status after work was given back for $because, other work having ended since: $meanwhile',
  async ({ because, meanwhile, status, lifts }) => {
    const { runId } = await held.flow.open([draft('a'), draft('b')], { budgetMicroUsd: 2_000_000 });
    const [first, other] = [await held.flow.claim(runId), await held.flow.claim(runId)];
    const giveBack = (from: Claim) => {
      const fact: Fact = {
        fact: 'released',
        holding: holding(from),
        reason: 'no',
        because,
        notBefore: later,
      };
      return held.flow.tell(fact);
    };
    if (!meanwhile) await giveBack(other);
    await giveBack(first);
    if (meanwhile) await held.store.tasks.cancel(other.tasks[0]?.task.id ?? '', by);
    if (meanwhile) await held.flow.tell({ fact: 'cancelled', holding: holding(other), reason: 'not wanted' });
    const after = await held.store.runs.settle(runId);
    expect(after.status).toBe(status);
    if (lifts === null) return;
    expect(after.statusReason).toContain(`\`${lifts} ${after.slug}\``);
    const capMicroUsd = because === 'budget' ? 9_000_000 : null;
    expect((await held.store.runs.setBudget(runId, { ...by, capMicroUsd })).status).toBe('running');
    expect(await claim(runId)).not.toBeNull();
  },
);

it('waits when all that a parent splits its work into waits for money', async () => {
  const { runId } = await held.flow.open([draft('parent')], { budgetMicroUsd: 1_000_000 });
  const parent = await held.flow.claim(runId);
  await held.flow.launch(parent);
  await held.flow.ready(parent);
  await held.flow.tell({
    fact: 'decomposed',
    holding: holding(parent),
    reason: 'too much for one',
    children: [draft('child', { maxCostMicroUsd: 2_000_000 })],
  });
  await held.flow.over(parent);
  expect(await held.store.runs.settle(runId)).toMatchObject({
    status: 'waiting',
    statusReason: expect.stringContaining('no room for child'),
  });
});
