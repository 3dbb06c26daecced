import { expect, test } from 'vitest';
import { someAttempt } from '../../test/support/snapshots.ts';
import { costOf, costText, knownCost, whyUnmeasured } from './cost-text.ts';

const unmeasured = (changes: object) => someAttempt('a', { meter: 'unmeasured', ...changes });

test('what is not measured is never shown as nothing, and never as less than was booked', () => {
  const unknown = costOf([unmeasured({})]);
  expect([costText(unknown), knownCost(unknown)]).toEqual(['unknown', null]);
  const bound = costOf([unmeasured({ costMicroUsd: 1_500_000, unmeasuredMicroUsd: 1_500_000 })]);
  expect([costText(bound), knownCost(bound)]).toEqual(['$1.50 (not measured)', 1_500_000]);
  const part = costOf([
    someAttempt('a', { costMicroUsd: 500_000, meter: 'measured' }),
    ...[bound].map(() => unmeasured({ costMicroUsd: 1_500_000, unmeasuredMicroUsd: 1_500_000 })),
  ]);
  expect(costText(part)).toBe('$2.00 ($1.50 of it not measured)');
  const more = costOf([someAttempt('a', { costMicroUsd: 500_000, meter: 'measured' }), unmeasured({})]);
  expect([costText(more), knownCost(more)]).toEqual(['$0.5000 and more, not measured', 500_000]);
});

test('an attempt that ended before its meter was closed is not measured, one at work is not yet', () => {
  expect(costText(costOf([someAttempt('a', { meter: 'open', endsAfterMs: 5 })]))).toBe('unknown');
  expect(costText(costOf([someAttempt('a', { meter: 'open' })]))).toBe('–');
  expect(costText(costOf([someAttempt('a', { meter: 'unknown' })]))).toBe('unknown');
});

test('tokens without a price are no free tokens, also while the agent is at work; the reason can end a sentence', () => {
  const tokens = { meter: 'open', inputTokens: 900, outputTokens: 20 } as const;
  expect(costText(costOf([someAttempt('a', { ...tokens, costEstimated: true })]))).toBe('unknown');
  expect(costText(costOf([someAttempt('a', tokens)]))).toBe('–');
  const reason = 'No price is known for the model "x".';
  expect(whyUnmeasured([someAttempt('a'), someAttempt('b', { unmeasuredReason: reason })])).toBe(
    'no price is known for the model "x"',
  );
  expect(whyUnmeasured([someAttempt('a')])).toBeNull();
});
