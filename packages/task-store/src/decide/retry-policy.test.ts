import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backOff, decideRetry, triesAllowed } from './retry-policy.ts';
import type { Failure } from './failure.ts';
import type { TaskState } from './situation.ts';

const now = new Date(Date.UTC(2026, 0, 1));
const task = (given: Partial<TaskState> = {}): TaskState => ({
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
const decide = (failure: Failure, given: Partial<TaskState> = {}) =>
  decideRetry(task(given), failure, { now, random: 0 });
const seconds = (patch: { notBefore?: unknown }) =>
  patch.notBefore instanceof Date ? (patch.notBefore.getTime() - now.getTime()) / 1000 : patch.notBefore;

it('doubles the wait from 30 seconds, with jitter, up to 300', () => {
  expect([0, 1, 2, 3, 4, 50].map((n) => backOff(n, 0) / 1000)).toEqual([30, 60, 120, 240, 300, 300]);
  fc.assert(
    fc.property(fc.nat(40), fc.double({ min: 0, max: 0.999, noNaN: true }), (n, random) => {
      expect(backOff(n, random)).toBeGreaterThanOrEqual(30_000);
      expect(backOff(n, random)).toBeLessThanOrEqual(300_000);
    }),
  );
});

it.each<[Failure, boolean, unknown]>([
  ['rejected', true, null],
  ['conflict', false, null],
  ['base_rejected', false, null],
  ['head_lost', false, null],
  ['agent_failed', true, 30],
  ['crashed', true, 30],
  ['timeout', true, 30],
  ['setup_failed_counted', true, 30],
  ['setup_failed', false, 30],
  ['spawn_failed', false, 30],
  ['rate_limited', false, 30],
  ['released', false, null],
  ['lease_lost', false, null],
])('after %s: counted %s, next try in %s s', (failure, counted, wait) => {
  const decision = decide(failure);
  expect(decision.counted).toBe(counted);
  expect(seconds(decision.patch)).toBe(wait);
});

it('counts the sixth conflict or lost head, and every third spawn failure in a row', () => {
  expect(decide('conflict', { conflicts: 4 }).counted).toBe(false);
  expect(decide('conflict', { conflicts: 5 }).counted).toBe(true);
  expect([4, 5].map((conflicts) => decide('head_lost', { conflicts }).counted)).toEqual([false, true]);
  expect([0, 1, 2].map((setbacks) => decide('spawn_failed', { setbacks }).counted)).toEqual([
    false,
    false,
    true,
  ]);
});

it('never lets a task use more tries than it has, and grants are tries', () => {
  expect(triesAllowed(task({ maxRetries: 0 }))).toBe(1);
  expect(decide('rejected', { maxRetries: 0 }).exhausted).toBe(true);
  expect(decide('rejected', { maxRetries: 0, grantedTries: 1 }).exhausted).toBe(false);
  expect(decide('released', { maxRetries: 0, tries: 1 }).exhausted).toBe(false);
});

it('waits for a known reset instead of a back-off', () => {
  const notBefore = new Date(Date.UTC(2026, 5, 1));
  expect(decideRetry(task(), 'rate_limited', { now, random: 0, notBefore }).patch.notBefore).toBe(notBefore);
});

it('believes a reset that is over once, then waits as without one', () => {
  const notBefore = new Date(now.getTime() - 1);
  const after = (setbacks: number) =>
    seconds(decideRetry(task({ setbacks }), 'rate_limited', { now, random: 0, notBefore }).patch);
  expect([0, 1, 2, 9].map(after)).toEqual([-0.001, 60, 120, 300]);
});
