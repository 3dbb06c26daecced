import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import type { Claim, Holding, Run } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();

/** Things that happen to the money of one run; those of one round happen at the same time. */
type Act =
  | { act: 'claim'; worker: number; tasks: number }
  | { act: 'use'; attempt: number; offset: number; share: number }
  | { act: 'end'; attempt: number; how: 'released' | 'failed' | 'done' | 'cancelled' }
  | { act: 'cap'; raise: boolean; by: number };

interface Work extends Holding {
  sessionId: string;
  taskId: string;
  /** What it may spend: as much as was reserved for it. */
  maxCost: number;
  /** Cost of reports that are under way. */
  underWay: number;
  ended: boolean;
}

/** What must have been booked, by attempt and place in its stream, and how much of it nobody had reserved. */
interface Ledger {
  runId: string;
  works: Work[];
  booked: Map<string, number>;
  late: number;
}

const places = 4;
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('claim' as const),
      worker: fc.nat(3),
      tasks: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('use' as const),
      attempt: fc.nat(7),
      offset: fc.nat(places - 1),
      share: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('end' as const),
      attempt: fc.nat(7),
      how: fc.constantFrom('released', 'failed', 'done', 'cancelled'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('cap' as const),
      raise: fc.boolean(),
      by: fc.integer({ min: 1, max: 3_000 }),
    }),
  },
);
const rounds = fc.array(fc.array(act, { minLength: 1, maxLength: 7 }), { minLength: 2, maxLength: 7 });

const money = async (runId: string): Promise<Run> => {
  const run = await held.store.runs.get(runId);
  if (run === null) throw new Error('no run');
  return run;
};

/** Spent and reserved fit under the cap, but for what was reported when nothing was reserved for it any more. */
function expectWithinCap({ spentMicroUsd, reservedMicroUsd, budgetMicroUsd }: Run, late: number): void {
  expect(reservedMicroUsd).toBeGreaterThanOrEqual(0);
  expect(spentMicroUsd + reservedMicroUsd).toBeLessThanOrEqual((budgetMicroUsd ?? 0) + late);
}

async function take(ledger: Ledger, claim: Claim | null): Promise<void> {
  const attempts = claim?.tasks.map(({ attempt }) => attempt.id) ?? [];
  const shares = new Map(
    (await held.store.streams.shares(attempts)).map((share) => [
      share.attemptId,
      share.reservedMicroUsd ?? 0,
    ]),
  );
  for (const { task, attempt } of claim?.tasks ?? [])
    ledger.works.push({
      attemptId: attempt.id,
      fence: attempt.fence,
      sessionId: claim?.sessionId ?? '',
      taskId: task.id,
      maxCost: shares.get(attempt.id) ?? 0,
      underWay: 0,
      ended: false,
    });
}

const usage = {
  model: 'm',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicroUsd: null,
  estimated: false,
};

/** The same place of a stream always tells the same; all places together cost no more than is reserved. */
async function use(ledger: Ledger, { attempt, offset, share }: Extract<Act, { act: 'use' }>): Promise<void> {
  const work = ledger.works[attempt % Math.max(1, ledger.works.length)];
  if (work === undefined) return;
  const key = `${work.attemptId} ${offset}`;
  const known = ledger.booked.get(key);
  const costMicroUsd = known ?? Math.floor((work.maxCost * share) / (4 * places));
  if (known === undefined && work.ended) ledger.late += costMicroUsd;
  ledger.booked.set(key, costMicroUsd);
  work.underWay += costMicroUsd;
  await held.store.streams.recordUsage({ attemptId: work.attemptId, offset, usage, costMicroUsd });
  work.underWay -= costMicroUsd;
}

async function end(ledger: Ledger, { attempt, how }: Extract<Act, { act: 'end' }>): Promise<void> {
  const work = ledger.works[attempt % Math.max(1, ledger.works.length)];
  if (work === undefined || work.ended) return;
  work.ended = true;
  // What is under way may come after the end.
  ledger.late += work.underWay;
  const holding = { attemptId: work.attemptId, fence: work.fence };
  const reason = 'it ended';
  if (how === 'done') {
    const process = {
      adapter: 'command',
      model: null,
      pid: 1,
      pidStarted: '1',
      workspace: '/w',
      deadlineAt: null,
    };
    await held.store.claims.record({ fact: 'launched', holdings: [holding], ...process, route: {} }, by);
    const range = { baseCommit: 'b', startCommit: 'b', headCommit: 'c' };
    const outcome = await held.store.claims.record({ fact: 'done', holding, ...range, summary: '' }, by);
    if (outcome.ok) return;
  }
  if (how === 'cancelled') await held.store.tasks.cancel(work.taskId, by);
  const fact =
    how === 'cancelled'
      ? ({ fact: 'cancelled', holding, reason } as const)
      : how === 'failed'
        ? ({ fact: 'agent_failed', holding, reason, outcome: 'agent_failed' } as const)
        : ({ fact: 'released', holding, reason } as const);
  const outcome = await held.store.claims.record(fact, by);
  expect(outcome).toMatchObject({ ok: true });
}

/** A person gives more, or takes back what is still free; less than is spent and reserved is refused. */
async function cap({ runId }: Ledger, { raise, by: amount }: Extract<Act, { act: 'cap' }>): Promise<void> {
  const { budgetMicroUsd } = await money(runId);
  const capMicroUsd = Math.max(0, (budgetMicroUsd ?? 0) + (raise ? amount : -amount));
  const done = held.store.runs.setBudget(runId, { ...by, capMicroUsd });
  await done.catch((error: unknown) => {
    if (!BatonError.is(error, 'BUDGET_EXCEEDED')) throw error;
  });
}

async function perform(ledger: Ledger, each: Act): Promise<void> {
  switch (each.act) {
    case 'claim':
      return take(
        ledger,
        await held.store.claims.claimBatch(
          request({ workerId: `w${each.worker}`, maxTasks: each.tasks, runId: ledger.runId }),
        ),
      );
    case 'use':
      return use(ledger, each);
    case 'end':
      return end(ledger, each);
    case 'cap':
      return cap(ledger, each);
  }
}

/** Nothing is left lying that there is money for. */
async function expectAlive(
  { works, booked }: Ledger,
  { id, budgetMicroUsd, spentMicroUsd }: Run,
): Promise<void> {
  const cap = budgetMicroUsd ?? 0;
  const { items } = await held.store.tasks.list({ runId: id, status: ['OPEN'], limit: 100 });
  const taskOf = new Map(works.map(({ attemptId, taskId }) => [attemptId, taskId]));
  const costOf = (taskId: string) =>
    [...booked].reduce(
      (sum, [key, cost]) => sum + (taskOf.get(key.split(' ')[0] ?? '') === taskId ? cost : 0),
      0,
    );
  const fits = items.some(
    (task) => Math.max(0, (task.maxCostMicroUsd ?? 0) - costOf(task.id)) <= cap - spentMicroUsd,
  );
  await held.makeDue();
  await held.store.claims.sweep({ actor: 'sweeper' });
  const claim = await held.store.claims.claimBatch(request({ runId: id }));
  expect(claim !== null).toBe(fits && spentMicroUsd * 100 < cap * 95);
}

async function live(
  acts: Act[][],
  { capMicroUsd, costs }: { capMicroUsd: number; costs: number[] },
): Promise<Ledger> {
  const drafts = costs.map((maxCostMicroUsd, at) => draft(`t${at}`, { maxCostMicroUsd, maxRetries: 9 }));
  const { runId } = await held.flow.open(drafts, { budgetMicroUsd: capMicroUsd });
  const ledger: Ledger = { runId, works: [], booked: new Map(), late: 0 };
  for (const round of acts) {
    let going = true;
    const watch = (async () => {
      while (going) expectWithinCap(await money(runId), ledger.late);
    })();
    await Promise.all(round.map((each) => perform(ledger, each))).finally(() => (going = false));
    await watch;
    const run = await money(runId);
    expectWithinCap(run, ledger.late);
    expect(run.spentMicroUsd).toBe([...ledger.booked.values()].reduce((sum, cost) => sum + cost, 0));
    await held.makeDue();
  }
  return ledger;
}

it(
  'never has more spent and reserved than the cap, books each piece of usage once, and reserves nothing after the end',
  { timeout: 120_000 },
  async () => {
    const costs = fc.array(fc.integer({ min: 16, max: 2_000 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        rounds,
        costs,
        fc.integer({ min: 100, max: 6_000 }),
        async (acts, each, capMicroUsd) => {
          const ledger = await live(acts, { capMicroUsd, costs: each });
          await Promise.all(
            ledger.works.map((_, attempt) => end(ledger, { act: 'end', attempt, how: 'released' })),
          );
          const run = await money(ledger.runId);
          expect(run.reservedMicroUsd).toBe(0);
          const entries = await held.store.streams.usageEntries({ runId: ledger.runId });
          expect(entries).toHaveLength(ledger.booked.size);
          expect(run.spentMicroUsd).toBe(entries.reduce((sum, { costMicroUsd }) => sum + costMicroUsd, 0));
          await expectAlive(ledger, run);
        },
      ),
      { numRuns: 20, seed: 7 },
    );
  },
);

it('gives nothing out when the cap is reached, and upkeep finds out when it is raised', async () => {
  const { runId } = await held.flow.open(
    [draft('a', { maxCostMicroUsd: 600 }), draft('b', { maxCostMicroUsd: 600 })],
    { budgetMicroUsd: 1_000 },
  );
  const [first, second] = await Promise.all(
    ['w1', 'w2'].map((workerId) => held.store.claims.claimBatch(request({ workerId, runId }))),
  );
  expect([first, second].filter((claim) => claim !== null)).toHaveLength(1);
  await held.sql('UPDATE budget SET cap_micro_usd = 1200 WHERE run_id = $1', [runId]);
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await held.store.claims.claimBatch(request({ workerId: 'w3', runId }))).not.toBeNull();
});
