import type { Attempt, Claim, Fact, Store } from '@baton/task-store';
import { expect, it } from 'vitest';
import { endSpent, paidRuns } from './spent-out.ts';

const run = (outcome: string | null, meter: Attempt['meter'] = 'measured') => ({ outcome, meter });
const many = (count: number, outcome: string) => Array.from({ length: count }, () => run(outcome));

/** A claim of one task with two tries and a history of runs, and what is recorded for it. */
async function claimAfter(history: readonly Pick<Attempt, 'outcome' | 'meter'>[]) {
  const recorded: Fact[] = [];
  const store = {
    attempts: () => Promise.resolve(history),
    record: (fact: Fact) => Promise.resolve(recorded.push(fact)),
  } as unknown as Store;
  const task = { id: 't', maxRetries: 1, maxCostMicroUsd: null };
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

it('lets a task go on as long as it was paid for less often, or its runs cost nothing', async () => {
  expect((await claimAfter(many(5, 'released'))).left).toBe(1);
  expect((await claimAfter(Array.from({ length: 9 }, () => run('released', 'none')))).left).toBe(1);
});

it('counts anew from the moment that a person lets the task go on', () => {
  expect(paidRuns([...many(6, 'conflict'), run('max_cost', 'none'), ...many(2, 'conflict'), run(null)])).toBe(
    2,
  );
});
