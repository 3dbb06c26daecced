import { manualClock, testRounds, until } from '@baton/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Claim } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { sweeping } from './support/sweeping.ts';

const clock = manualClock();
const held = testStore({ clock });
const sweeper = sweeping(held, clock);
const share = 600_000;
const usage = {
  ...{ model: 'm', inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costMicroUsd: null, estimated: false },
};
const idOf = (claim: Claim) => holding(claim).attemptId;

const money = async (runId: string) => {
  const run = await held.store.runs.get(runId);
  return { spent: run?.spentMicroUsd, reserved: run?.reservedMicroUsd };
};

/** How many connections wait for a lock. */
const waiting = async () =>
  (await held.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()`)).length;

/** Agents whose holders were lost, and whose processes may have lived until now; and one that is at work. */
async function lostAgents(count: number): Promise<{ runId: string; lost: string[] }> {
  const drafts = Array.from({ length: count + 1 }, (_, at) =>
    draft(`t${at}`, { maxCostMicroUsd: share, maxRetries: 9 }),
  );
  const { runId } = await held.flow.open(drafts, { budgetMicroUsd: (count + 1) * share });
  const claims: Claim[] = [];
  for (const _ of drafts) claims.push(await held.flow.claim(runId));
  const lost = claims.slice(1).map(idOf);
  for (const id of lost) await held.store.streams.openMeter(id);
  await sweeper.awake();
  const sessions = claims.slice(1).map(({ sessionId }) => sessionId);
  await held.sql(`UPDATE agent_session SET deadline_at = now() + interval '1 hour' WHERE id = ANY ($1)`, [
    sessions,
  ]);
  await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE id = ANY ($1)`, [
    lost,
  ]);
  await sweeper.sweep();
  expect(await money(runId)).toEqual({ spent: 0, reserved: (count + 1) * share });
  await held.sql(`UPDATE agent_session SET deadline_at = now() - interval '1 second' WHERE id = ANY ($1)`, [
    sessions,
  ]);
  return { runId, lost };
}

it('books no more than its share for an agent that reports while a sweep books that', async () => {
  const { runId, lost } = await lostAgents(1);
  const reporter = await held.connection();
  try {
    await reporter.query('BEGIN');
    await reporter.query('SELECT baton_book_usage($1, 0, $2, 200000)', [lost[0], JSON.stringify(usage)]);
    const swept = sweeper.sweep();
    await until(async () => (await waiting()) > 0, { what: 'the sweep waits for the report' });
    await reporter.query('COMMIT');
    await swept;
  } finally {
    await reporter.end();
  }
  expect(await money(runId)).toEqual({ spent: share, reserved: share });
});

it('takes what an agent reports while its run gets a cap off the share that it gets', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const attemptId = idOf(await held.flow.claim(runId));
  const keeper = await held.connection();
  try {
    await keeper.query('BEGIN');
    await keeper.query('SELECT 1 FROM budget WHERE run_id = $1 FOR UPDATE', [runId]);
    const capped = held.store.runs.setBudget(runId, { ...by, capMicroUsd: 500_000 });
    await until(async () => (await waiting()) === 1, { what: 'the cap waits for the budget' });
    const told = held.store.streams.recordUsage({ attemptId, offset: 0, usage, costMicroUsd: 300_000 });
    await until(async () => (await waiting()) === 2, { what: 'the report waits, too' });
    await keeper.query('COMMIT');
    await Promise.all([capped, told]);
  } finally {
    await keeper.end();
  }
  expect(await money(runId)).toEqual({ spent: 300_000, reserved: 200_000 });
});

const reports = fc.array(
  fc.record({ agent: fc.nat(2), offset: fc.nat(3), cost: fc.integer({ min: 0, max: share }) }),
  { minLength: 3, maxLength: 12 },
);

it('books of each lost agent its share or all that it reported, the greater, whatever comes first', async () => {
  await fc.assert(
    fc.asyncProperty(reports, async (given) => {
      const { runId, lost } = await lostAgents(3);
      const told = new Map<string, number>();
      const said = given.map(({ agent, offset, cost }) => {
        const key = `${agent} ${offset}`;
        told.set(key, told.get(key) ?? cost);
        return { attemptId: lost[agent] ?? '', offset, costMicroUsd: told.get(key) ?? 0, usage };
      });
      const sweeps = [1, 2, 3].map(() => sweeper.sweep());
      await Promise.all([...sweeps, ...said.map((each) => held.store.streams.recordUsage(each))]);
      await sweeper.sweep();
      const sumOf = (agent: number) =>
        [...told].reduce((sum, [key, cost]) => sum + (key.startsWith(`${agent} `) ? cost : 0), 0);
      const spent = lost.reduce((sum, _, agent) => sum + Math.max(share, sumOf(agent)), 0);
      expect(await money(runId)).toEqual({ spent, reserved: share });
    }),
    { numRuns: testRounds({ short: 5, full: 60 }) },
  );
});

it.each([null, 5 * share])(
  'gives no further try what a lost agent may still spend (cap of the run: %s), and a person can grant one',
  async (budgetMicroUsd) => {
    const task = draft('a', { maxCostMicroUsd: share, maxRetries: 9 });
    const { runId, tasks } = await held.flow.open([task], { budgetMicroUsd });
    /** Claims the task, and the holder is lost: its process may have lived until now. */
    const lose = async (isAsked: boolean) => {
      const claim = await held.flow.claim(runId);
      const [{ leftMicroUsd } = { leftMicroUsd: null }] = await held.store.streams.shares([idOf(claim)]);
      if (isAsked) await held.store.streams.openMeter(idOf(claim));
      await sweeper.awake();
      await held.sql(`UPDATE agent_session SET deadline_at = now() + interval '1 hour' WHERE id = $1`, [
        claim.sessionId,
      ]);
      await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
        idOf(claim),
      ]);
      await sweeper.sweep();
      return leftMicroUsd;
    };
    expect(await lose(false)).toBe(share);
    expect(await lose(true), 'one that was asked nothing has spent nothing').toBe(share);
    const spent = await held.flow.claim(runId);
    const left = async () => (await held.store.streams.shares([idOf(spent)]))[0]?.leftMicroUsd;
    expect(await left()).toBe(0);
    const fact = { fact: 'agent_failed', holding: holding(spent), outcome: 'max_cost' } as const;
    await held.store.claims.record({ ...fact, reason: 'used up', denied: 'used up' }, { actor: 'worker' });
    await held.store.tasks.retry(tasks[0]?.id ?? '', { actor: 'operator:me', reason: 'once more' });
    expect(await left()).toBe(share);
    await held.sql(`UPDATE agent_session SET deadline_at = now() - interval '1 second' WHERE run_id = $1`, [
      runId,
    ]);
    await sweeper.sweep();
    expect(await left(), 'what the lost one may have spent is booked').toBe(share);
    expect((await money(runId)).spent).toBe(share);
  },
);

it('reserves for a lost agent, too, when its run gets a cap: what it spent is no room for others', async () => {
  const { runId } = await held.flow.open([draft('a', { maxCostMicroUsd: share }), draft('b')]);
  const lost = await held.flow.claim(runId);
  await held.store.streams.openMeter(idOf(lost));
  await sweeper.awake();
  await held.sql(`UPDATE agent_session SET deadline_at = now() + interval '1 hour' WHERE id = $1`, [
    lost.sessionId,
  ]);
  await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
    idOf(lost),
  ]);
  await sweeper.sweep();
  await held.store.runs.setBudget(runId, { ...by, capMicroUsd: share + 1 });
  expect(await money(runId)).toEqual({ spent: 0, reserved: share });
  await held.store.streams.recordUsage({ attemptId: idOf(lost), offset: 0, usage, costMicroUsd: 200_000 });
  expect(await money(runId)).toEqual({ spent: 200_000, reserved: share - 200_000 });
  await held.sql(`UPDATE agent_session SET deadline_at = now() - interval '1 second' WHERE id = $1`, [
    lost.sessionId,
  ]);
  await sweeper.sweep();
  expect(await money(runId)).toEqual({ spent: share, reserved: 0 });
});
