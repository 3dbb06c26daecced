import type { Usage } from '@baton/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usageDifference } from './usage-difference.ts';

const total = (inputTokens: number, costMicroUsd: number | null = null): Usage => ({
  model: 'm',
  inputTokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicroUsd,
  estimated: false,
});

test('the first total is all new', () => {
  expect(usageDifference(null, total(5, 9))).toEqual(total(5, 9));
});

test('a later total counts only by what it grew', () => {
  expect(usageDifference(total(5, 9), total(12, 10))).toEqual(total(7, 1));
});

test('a total that fell began anew', () => {
  expect(usageDifference(total(500, 90), total(12, 3))).toEqual(total(12, 3));
  expect(usageDifference(total(5, 90), total(12, 3))).toEqual(total(12, 3));
});

test('a cost that appears late is left to the prices of the tokens', () => {
  expect(usageDifference(total(5), total(12, 10))).toEqual(total(7, null));
});

test('the differences of a growing total add up to its last value', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), (growth) => {
      let [sum, before] = [0, 0];
      let previous: Usage | null = null;
      for (const grown of growth) {
        before += grown;
        const next = total(before, before * 2);
        const piece = usageDifference(previous, next);
        sum += piece.inputTokens;
        expect(piece.costMicroUsd).toBe(piece.inputTokens * 2);
        previous = next;
      }
      expect(sum).toBe(before);
    }),
  );
});
