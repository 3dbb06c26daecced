import type { Attempt, Claim, Fact, Store } from '@baton/task-store';
import { expect, it } from 'vitest';
import { endSpent, paidRuns, unpayable } from './spent-out.ts';

const run = (outcome: string | null, meter: Attempt['meter'] = 'measured') => ({ outcome, meter });
const many = (count: number, outcome: string) => Array.from({ length: count }, () => run(outcome));

/** A claim of one task with two tries and a history of runs, and what is recorded for it. */
async function claimAfter(
  history: readonly Pick<Attempt, 'outcome' | 'meter'>[],
  maxCostMicroUsd: number | null = null,
) {
  const recorded: Fact[] = [];
  const store = {
    streams: { shares: () => Promise.resolve([{ attemptId: 'a', reservedMicroUsd: null, leftMicroUsd: 0 }]) },
    tasks: { attempts: () => Promise.resolve(history) },
    claims: { record: (fact: Fact) => Promise.resolve(recorded.push(fact)) },
  } as unknown as Store;
  const task = { id: 't', maxRetries: 1, maxCostMicroUsd };
  const attempt = { id: 'a', fence: 7, number: history.length + 1 };
  const claim = { tasks: [{ task, attempt }] } as unknown as Claim;
  const worker = { id: 'w', name: 'w', host: 'h', pid: 1, pidStarted: '1' };
  return { left: (await endSpent({ store, worker }, claim)).tasks.length, recorded };
}

it('ends a task that was paid for three times for each of its tries, whatever the runs were counted as', async () => {
  const ends = ['rate_limited', 'released', 'conflict', 'lease_lost', 'base_rejected', 'head_lost'];
  const { left, recorded } = await claimAfter(ends.map((outcome) => run(outcome)));
  expect(left).toBe(0);
  expect(recorded).toMatchObject([
    { fact: 'agent_failed', outcome: 'max_cost', denied: expect.stringContaining('paid for 6 times') },
  ]);
});

it('lets a task continue as long as it was paid for less often, or its runs cost nothing', async () => {
  expect((await claimAfter(many(5, 'released'))).left).toBe(1);
  expect((await claimAfter(Array.from({ length: 9 }, () => run('released', 'none')))).left).toBe(1);
});

it('ends a task whose max_cost is used up, and of one of nothing the free tries are not', async () => {
  const once = [run('agent_failed', 'none')];
  expect((await claimAfter(once, 500)).left).toBe(0);
  expect((await claimAfter(once, 0)).left).toBe(1);
});

it('gives a task that may cost nothing to what is free only', () => {
  const paid = { name: 'codex', isCommand: false, isFree: false };
  expect(unpayable({ maxCostMicroUsd: 0 }, paid)).toContain('its max_cost is 0, and the agent codex');
  expect(unpayable({ maxCostMicroUsd: 1 }, paid)).toBeNull();
  expect(unpayable({ maxCostMicroUsd: null }, paid)).toBeNull();
  expect(unpayable({ maxCostMicroUsd: 0 }, { ...paid, isCommand: true })).toBeNull();
  expect(unpayable({ maxCostMicroUsd: 0 }, { ...paid, isFree: true })).toBeNull();
});

it('counts from zero once a person lets the task continue', () => {
  expect(paidRuns([...many(6, 'conflict'), run('max_cost', 'none'), ...many(2, 'conflict'), run(null)])).toBe(
    2,
  );
});
