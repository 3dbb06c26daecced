import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import type { Fact, Run } from '../src/index.ts';
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

const changes = async (runId: string) =>
  (await held.store.tasks.history({ machine: 'run', entityId: runId })).filter(
    ({ event }) => event === 'budget',
  );
const claim = (runId: string) => held.store.claims.claimBatch(request({ runId }));
const later = new Date('2999-01-01T00:00:00Z');

/** Tasks `a` and `b`; `a` has cost 960 of 1000 and was given back. */
async function spentRun(): Promise<Run> {
  const { runId } = await held.flow.open([draft('a'), draft('b')], { budgetMicroUsd: 1_000 });
  const first = await held.flow.claim(runId);
  const { attemptId } = holding(first);
  await held.store.streams.recordUsage({ attemptId, offset: 0, usage, costMicroUsd: 960 });
  await held.flow.tell({
    fact: 'released',
    holding: holding(first),
    reason: 'the budget is spent',
    because: 'budget',
  });
  return held.store.runs.settle(runId);
}

it('resumes a run that waited for money once a person gives more, and records who and why', async () => {
  const poor = await spentRun();
  expect(poor).toMatchObject({
    status: 'waiting',
    statusReason: `the budget is spent; raise it with \`baton budget <usd> ${poor.slug}\``,
  });
  const { id } = await held.store.tasks.find('b', { runId: poor.id });
  expect(await held.store.tasks.explain(id)).toMatchObject({
    cause: 'budget',
    owner: 'a person',
    unblock: `baton budget <usd> ${poor.slug}`,
  });
  expect(await claim(poor.id)).toBeNull();
  const more = { actor: 'operator:ann', reason: 'worth it', capMicroUsd: 5_000 };
  expect(await held.store.runs.setBudget(poor.id, more)).toMatchObject({
    status: 'running',
    budgetMicroUsd: 5_000,
  });
  expect((await held.store.tasks.explain(id)).cause).not.toBe('budget');
  expect((await claim(poor.id))?.run.budgetMicroUsd).toBe(5_000);
  expect(await changes(poor.id)).toMatchObject([
    {
      actor: 'operator:ann',
      reason: 'worth it',
      from: 'waiting',
      to: 'waiting',
      metadata: { fromMicroUsd: 1_000, toMicroUsd: 5_000 },
    },
  ]);
  expect((await held.store.audit.verify()).broken).toEqual([]);
});

it('makes what had no room claimable at once when the budget is lifted, and its holder sees no cap', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxCostMicroUsd: 600 })], {
    budgetMicroUsd: 500,
  });
  expect(await claim(runId)).toBeNull();
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'budget',
    owner: 'a person',
  });
  await held.store.runs.setBudget(runId, { ...by, capMicroUsd: null });
  expect((await claim(runId))?.run.budgetMicroUsd).toBeNull();
});

it('refuses less than is spent and reserved and says what is; exactly that much is enough, and nothing new begins', async () => {
  const { runId } = await held.flow.open(
    [draft('a', { maxCostMicroUsd: 600 }), draft('b', { maxCostMicroUsd: 100 })],
    { budgetMicroUsd: 1_000_000 },
  );
  const { attemptId } = holding(await held.flow.claim(runId));
  await held.store.streams.recordUsage({ attemptId, offset: 0, usage, costMicroUsd: 200 });
  const error: unknown = await held.store.runs
    .setBudget(runId, { ...by, capMicroUsd: 599 })
    .catch((e: unknown) => e);
  if (!BatonError.is(error, 'BUDGET_EXCEEDED')) throw error;
  expect(error.details).toEqual({ spentMicroUsd: 200, reservedMicroUsd: 400 });
  expect(error.fix).toContain('$0.0006');
  expect((await held.store.runs.get(runId))?.budgetMicroUsd).toBe(1_000_000);
  expect(await changes(runId)).toEqual([]);
  await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 600 });
  expect(await claim(runId)).toBeNull();
});

it('refuses amounts that are no money, and unknown runs', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  for (const capMicroUsd of [-1, 0.5, Number.NaN])
    await expect(held.store.runs.setBudget(runId, { ...by, capMicroUsd })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  const unknown = '00000000-0000-7000-8000-000000000000';
  await expect(held.store.runs.setBudget(unknown, { ...by, capMicroUsd: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('does the same command once, records each change of many at one time, and nothing where nothing changes', async () => {
  const { runId } = await held.flow.open([draft('a')], { budgetMicroUsd: 1_000 });
  const command = { ...by, capMicroUsd: 2_000, commandId: 'raise-1' };
  await Promise.all([held.store.runs.setBudget(runId, command), held.store.runs.setBudget(runId, command)]);
  await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 3_000 });
  expect((await held.store.runs.setBudget(runId, command)).budgetMicroUsd).toBe(3_000);
  expect(await changes(runId)).toHaveLength(2);
  await Promise.all(
    [4, 5, 6, 7].map((n) => held.store.runs.setBudget(runId, { ...by, capMicroUsd: n * 1_000 })),
  );
  await held.store.runs.setBudget(runId, {
    ...by,
    capMicroUsd: (await held.store.runs.get(runId))?.budgetMicroUsd ?? 0,
  });
  const caps = (await changes(runId)).map(
    ({ metadata }) => metadata as { fromMicroUsd: number; toMicroUsd: number },
  );
  expect(caps).toHaveLength(6);
  caps.slice(1).forEach(({ fromMicroUsd }, at) => expect(fromMicroUsd).toBe(caps[at]?.toMicroUsd));
  expect((await held.store.audit.verify()).broken).toEqual([]);
});

it.each([
  { because: 'budget', capMicroUsd: 9_000, now: true },
  { because: 'price_unknown', capMicroUsd: 9_000, now: false },
  { because: 'price_unknown', capMicroUsd: null, now: true },
  { because: 'parked', capMicroUsd: null, now: false },
] as const)(
  'lets work that was given back for $because begin under a cap of $capMicroUsd: $now',
  async (given) => {
    const { runId } = await held.flow.open([draft('a')], { budgetMicroUsd: 1_000 });
    const first = await held.flow.claim(runId);
    const fact: Fact = {
      fact: 'released',
      holding: holding(first),
      reason: 'no',
      because: given.because,
      notBefore: later,
    };
    await held.flow.tell(fact);
    await held.store.runs.setBudget(runId, { ...by, capMicroUsd: given.capMicroUsd });
    expect((await claim(runId)) !== null).toBe(given.now);
  },
);
