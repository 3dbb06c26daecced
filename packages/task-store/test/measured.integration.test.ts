import { expect, it } from 'vitest';
import { defaultCostMicroUsd, migrate, type Claim } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const usage = {
  model: 'm',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicroUsd: null,
  estimated: false,
};

const open = async (given: { cap: number | null; max: number | null; tasks?: number }) => {
  const drafts = Array.from({ length: given.tasks ?? 1 }, (_, at) =>
    draft(`t${at}`, { maxCostMicroUsd: given.max, maxRetries: 9 }),
  );
  const { runId } = await held.flow.open(drafts, { budgetMicroUsd: given.cap });
  return runId;
};
const attemptOf = (claim: Claim) => holding(claim).attemptId;
const book = (claim: Claim, offset: number, costMicroUsd: number) =>
  held.store.streams.recordUsage({ attemptId: attemptOf(claim), offset, usage, costMicroUsd });
const fail = (claim: Claim) =>
  held.flow.tell({ fact: 'agent_failed', holding: holding(claim), reason: 'no', outcome: 'agent_failed' });
const money = async (runId: string) => {
  const run = await held.store.runs.get(runId);
  return [run?.spentMicroUsd, run?.reservedMicroUsd, run?.unmeasuredMicroUsd, run?.unmeasuredAttempts];
};
const attempt = async (claim: Claim) =>
  (await held.store.tasks.attempts(claim.tasks[0]?.task.id ?? '')).find(({ id }) => id === attemptOf(claim));

it('books what a review costs on its reviewer, also at its bound when the worker died in the review', async () => {
  const runId = await open({ cap: 2_000_000, max: 1_000_000 });
  const claim = await held.flow.claim(runId);
  const [attemptId, reviewer] = [attemptOf(claim), 'strict'];
  await held.store.streams.openMeter(attemptId);
  await book(claim, 0, 300_000);
  await held.store.streams.closeMeter(attemptId, { meter: 'measured' });
  await held.store.streams.openMeter(attemptId, { reviewer });
  await held.store.streams.recordUsage({ attemptId, reviewer, offset: 9, usage, costMicroUsd: 100_000 });
  await fail(claim);
  await held.store.claims.sweep({ actor: 'sweeper' });
  const entries = await held.store.streams.usageEntries({ runId });
  expect(entries.map((entry) => [entry.costMicroUsd, entry.measured, entry.reviewer])).toEqual([
    [300_000, true, null],
    [100_000, true, 'strict'],
    [600_000, false, 'strict'],
  ]);
});

it('books what is left of a reservation when an agent did not tell all it spent, once, and marks it', async () => {
  const runId = await open({ cap: 2_000_000, max: 1_000_000 });
  const claim = await held.flow.claim(runId);
  await held.store.streams.openMeter(attemptOf(claim));
  await book(claim, 0, 300_000);
  await held.store.streams.closeMeter(attemptOf(claim), {
    meter: 'unknown',
    reason: 'It told nothing more.',
  });
  await fail(claim);
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await money(runId)).toEqual([1_000_000, 0, 700_000, 1]);
  expect(await attempt(claim)).toMatchObject({
    meter: 'unmeasured',
    costMicroUsd: 1_000_000,
    unmeasuredMicroUsd: 700_000,
    unmeasuredReason: 'It told nothing more.',
  });
  const entries = await held.store.streams.usageEntries({ runId });
  expect(entries.map(({ costMicroUsd, measured }) => [costMicroUsd, measured])).toEqual([
    [300_000, true],
    [700_000, false],
  ]);
});

it('gives back what is left when all was reported, and where nothing that costs had begun', async () => {
  const runId = await open({ cap: 3_000_000, max: 1_000_000, tasks: 2 });
  const [told, never] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  await held.store.streams.openMeter(attemptOf(told));
  await book(told, 0, 300_000);
  await held.store.streams.closeMeter(attemptOf(told), { meter: 'measured' });
  await fail(told);
  await fail(never);
  expect(await money(runId)).toEqual([300_000, 0, 0, 0]);
});

it('measures a second agent of an attempt after the first: what it does not tell is unknown, too', async () => {
  const runId = await open({ cap: 3_000_000, max: 1_000_000, tasks: 2 });
  const [silent, free] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  for (const claim of [silent, free]) {
    await held.store.streams.openMeter(attemptOf(claim));
    await book(claim, 0, 300_000);
    await held.store.streams.closeMeter(attemptOf(claim), { meter: 'measured' });
    await held.store.streams.openMeter(attemptOf(claim));
    expect(await attempt(claim)).toMatchObject({ meter: 'open' });
  }
  await held.store.streams.closeMeter(attemptOf(silent), {
    meter: 'unknown',
    reason: 'the reviewer is silent',
  });
  await held.store.streams.closeMeter(attemptOf(free), { meter: 'none' });
  expect(await attempt(free), 'its author has spent something').toMatchObject({ meter: 'measured' });
  await fail(silent);
  await fail(free);
  expect(await money(runId)).toEqual([1_300_000, 0, 700_000, 1]);
});

it.each([
  ['the author', { author: false, reviewer: true }, ['codex']],
  ['the reviewer', { author: true, reviewer: false }, ['gemini']],
  ['both', { author: false, reviewer: false }, ['codex', 'gemini']],
])('names %s as the one that did not tell all that it spent', async (_, measured, names) => {
  const runId = await open({ cap: 3_000_000, max: 1_000_000 });
  const claim = await held.flow.working(runId);
  await held.sql(`UPDATE attempt SET route = '{"agent": "codex"}' WHERE id = '${attemptOf(claim)}'`);
  await held.store.streams.setReview(holding(claim), {
    ...{ head: 'abc', by: { agent: 'gemini', model: null }, answers: [], unanswered: 'x', measured },
    at: '2026-01-01T00:00:00.000Z',
  });
  await held.store.streams.openMeter(attemptOf(claim));
  await held.store.streams.closeMeter(attemptOf(claim), { meter: 'unknown', reason: 'silent' });
  expect(await held.store.streams.unmeasuredAgents(runId)).toEqual(names);
});

it('books the bound of an agent that died with its worker, when its lease and its deadline are over', async () => {
  const runId = await open({ cap: 2_000_000, max: 600_000 });
  const claim = await held.flow.claim(runId);
  await held.store.streams.openMeter(attemptOf(claim));
  await book(claim, 0, 100_000);
  const died = { sessionId: claim.sessionId, exitCode: null, abortReason: 'parent_aborted' } as const;
  await held.flow.tell({ fact: 'process_died', ...died, reason: 'its worker process is gone' });
  await held.flow
    .tell({ fact: 'orphan_settled', holding: holding(claim), to: 'OPEN', reason: 'gone' })
    .catch(() => undefined);
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await money(runId)).toEqual([600_000, 0, 500_000, 1]);
});

it('lets usage that comes after the bound was booked take the place of a part of it', async () => {
  const runId = await open({ cap: 5_000_000, max: 1_000_000 });
  const claim = await held.flow.claim(runId);
  await held.store.streams.openMeter(attemptOf(claim));
  await fail(claim);
  expect(await money(runId)).toEqual([1_000_000, 0, 1_000_000, 1]);
  await book(claim, 0, 400_000);
  await book(claim, 0, 400_000);
  expect(await money(runId)).toEqual([1_000_000, 0, 600_000, 1]);
  await book(claim, 1, 900_000);
  expect(await money(runId), 'more than the bound is spent all the same').toEqual([1_300_000, 0, 0, 1]);
  await held.store.streams.closeMeter(attemptOf(claim), { meter: 'measured' });
  expect(await attempt(claim)).toMatchObject({ meter: 'unmeasured', costMicroUsd: 1_300_000 });
});

it('books a max_cost as the bound without a budget, and without either marks the cost as not known', async () => {
  const bounded = await open({ cap: null, max: 250_000 });
  const free = await open({ cap: null, max: null });
  for (const runId of [bounded, free]) {
    const claim = await held.flow.claim(runId);
    await held.store.streams.openMeter(attemptOf(claim));
    await fail(claim);
  }
  expect(await money(bounded)).toEqual([250_000, 0, 250_000, 1]);
  expect(await money(free)).toEqual([0, 0, 0, 1]);
});

it('counts the cost of all tries against max_cost, reserves the rest alone, and says when it is used up', async () => {
  const runId = await open({ cap: 5_000_000, max: 1_000_000 });
  const first = await held.flow.claim(runId);
  expect(await book(first, 0, 600_000)).toMatchObject({ maxCostReached: false, capReached: false });
  await fail(first);
  await held.makeDue();
  await held.store.claims.sweep({ actor: 'sweeper' });
  const second = await held.flow.claim(runId);
  expect(await held.store.streams.shares([attemptOf(second)])).toEqual([
    { attemptId: attemptOf(second), reservedMicroUsd: 400_000, leftMicroUsd: 400_000 },
  ]);
  expect(await book(second, 0, 400_000)).toMatchObject({ maxCostReached: true, maxCostExceeded: false });
  expect(await book(second, 1, 1)).toMatchObject({ maxCostReached: true, maxCostExceeded: true });
  await held.flow.tell({
    ...{ fact: 'agent_failed', holding: holding(second), reason: 'max_cost is spent' },
    ...{ outcome: 'max_cost', denied: 'max_cost is spent' },
  });
  const taskId = second.tasks[0]?.task.id ?? '';
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'FAILED', settled: true });
  await held.store.tasks.retry(taskId, { actor: 'operator:ann', reason: 'worth it' });
  const granted = await held.flow.claim(runId);
  expect(await held.store.streams.shares([attemptOf(granted)])).toMatchObject([{ leftMicroUsd: 999_999 }]);
});

it.each([
  [1_000_000, 1_000_000],
  [2_500_000, 500_000],
  [4_000_000, 1_000_000],
])(
  'a retry leaves something to spend, and no more than max_cost, after a try that cost %d',
  async (cost, left) => {
    const runId = await open({ cap: null, max: 1_000_000 });
    const dear = await held.flow.claim(runId);
    await book(dear, 0, cost);
    await held.flow.tell({
      ...{ fact: 'agent_failed', holding: holding(dear), reason: 'max_cost is spent' },
      ...{ outcome: 'max_cost', denied: 'max_cost is spent' },
    });
    await held.store.tasks.retry(dear.tasks[0]?.task.id ?? '', { actor: 'operator:ann', reason: 'worth it' });
    const granted = await held.flow.claim(runId);
    expect(await held.store.streams.shares([attemptOf(granted)])).toMatchObject([{ leftMicroUsd: left }]);
  },
);

it('stops an agent whose share is used up while others hold the rest', async () => {
  const runId = await open({ cap: 2_000_000, max: 1_000_000, tasks: 2 });
  const [one, other] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  expect(await book(one, 0, 900_000)).toMatchObject({ capReached: false });
  expect(await book(one, 1, 100_000)).toMatchObject({ capReached: true, capExceeded: false });
  expect(await book(other, 0, 500_000)).toMatchObject({ capReached: false });
});

it('gives agents that began without a cap a share of the one that is set while they work', async () => {
  const runId = await open({ cap: null, max: null, tasks: 3 });
  const claims = [await held.flow.claim(runId), await held.flow.claim(runId)];
  await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 700_000 });
  const shares = await held.store.streams.shares(claims.map(attemptOf));
  expect(shares.map(({ reservedMicroUsd }) => reservedMicroUsd).toSorted()).toEqual([200_000, 500_000]);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  for (const claim of claims) await fail(claim);
  expect(await money(runId)).toEqual([0, 0, 0, 0]);
});

it('reserves by the one table of default costs, also in a database that had others', async () => {
  await held.sql(
    `CREATE OR REPLACE FUNCTION baton_default_cost(scope text) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 7::bigint'`,
  );
  await migrate(held.url);
  for (const scope of ['small', 'medium', 'large', 'xl'] as const) {
    const { runId } = await held.flow.open([draft('a', { scope })], { budgetMicroUsd: 50_000_000 });
    const claim = await held.flow.claim(runId);
    const [share] = await held.store.streams.shares([attemptOf(claim)]);
    expect(share?.reservedMicroUsd).toBe(defaultCostMicroUsd[scope]);
  }
});

it('keeps to limits of agents and budgets at once', async () => {
  const drafts = Array.from({ length: 6 }, (_, at) => draft(`t${at}`, { maxCostMicroUsd: 400_000 }));
  const { runId } = await held.flow.open(drafts, { budgetMicroUsd: 1_000_000, maxAgents: 4 });
  const claims = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((workerId) =>
      held.store.claims.claimBatch(request({ workerId, runId })),
    ),
  );
  expect(claims.filter((claim) => claim !== null)).toHaveLength(2);
  expect(await money(runId)).toEqual([0, 800_000, 0, 0]);
});

it.each([NaN, Infinity, -1, 0.5, Number.MAX_SAFE_INTEGER + 1])(
  'refuses to book %s micro-dollars',
  async (cost) => {
    const runId = await open({ cap: 2_000_000, max: null });
    const claim = await held.flow.claim(runId);
    await expect(book(claim, 0, cost)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await money(runId)).toEqual([0, 500_000, 0, 0]);
  },
);
