import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chargeAttempt, completionBudget } from './completion-budget.ts';
import type { Lineage, TaskState } from './situation.ts';
import { decideRetry } from './retry-policy.ts';
import type { Failure } from './failure.ts';

const lineage = (given: Partial<Lineage> = {}): Lineage => ({
  spent: 0,
  maxRetries: 3,
  maxAttempts: null,
  granted: 0,
  ...given,
});
const task = (given: Partial<TaskState>): TaskState => ({
  id: 't',
  runId: 'r',
  status: 'IN_PROGRESS',
  version: 3,
  fence: 1,
  tries: 0,
  grantedTries: 0,
  maxRetries: 3,
  conflicts: 0,
  setbacks: 0,
  cancelRequested: false,
  ...given,
});
const decide = (failure: Failure, given: Partial<Lineage>) =>
  decideRetry(task({ lineage: lineage(given) }), failure, { now: new Date(0), random: 0 });

it('allows five attempts for each try, at least ten, or what the plan says, and what people granted', () => {
  expect(completionBudget(lineage()).limit).toBe(20);
  expect(completionBudget(lineage({ maxRetries: 0 })).limit).toBe(10);
  expect(completionBudget(lineage({ maxAttempts: 2 })).limit).toBe(2);
  expect(completionBudget(lineage({ maxAttempts: 2, granted: 1 })).limit).toBe(3);
});

it('warns at 60 %, nudges at 80 % and ends at 100 %, in that order', () => {
  const stages = Array.from({ length: 11 }, (_, spent) =>
    completionBudget(lineage({ maxRetries: 0, spent })),
  );
  expect(stages.map(({ stage }) => stage)).toEqual([
    ...Array.from({ length: 6 }, () => 'ok'),
    ...['warn', 'warn', 'nudge', 'nudge', 'end'],
  ]);
});

it('ends work that costs no try but comes to nothing, whatever the tries', () => {
  expect(decide('lease_lost', { spent: 18 })).toMatchObject({
    counted: false,
    exhausted: false,
    note: { completionBudget: { stage: 'nudge', spent: 19, limit: 20 } },
  });
  expect(decide('lease_lost', { spent: 19 })).toMatchObject({
    counted: false,
    exhausted: true,
    note: { code: 'RETRY_BUDGET_EXCEEDED' },
  });
});

it('charges nothing for what a person, a provider or a drained worker ended', () => {
  for (const failure of ['released', 'rate_limited', 'setup_failed', 'spawn_failed'] as const)
    expect(decide(failure, { spent: 40 })).toMatchObject({ exhausted: false });
});

it('never ends earlier for a person who granted more, and never later for one attempt more', () => {
  const any = fc.record({
    spent: fc.nat(200),
    maxRetries: fc.nat(20),
    maxAttempts: fc.option(fc.integer({ min: 1, max: 100 })),
    granted: fc.nat(20),
  });
  const rank = { ok: 0, warn: 1, nudge: 2, end: 3 };
  fc.assert(
    fc.property(any, (each) => {
      const now = rank[completionBudget(each).stage];
      expect(rank[completionBudget({ ...each, granted: each.granted + 1 }).stage]).toBeLessThanOrEqual(now);
      expect(rank[chargeAttempt(each, 'rejected').stage]).toBeGreaterThanOrEqual(now);
    }),
  );
});
