import { expect, test } from 'vitest';
import { testRounds } from './test-rounds.ts';

test('a test by chance is short unless all of its rounds are asked for', () => {
  const rounds = { short: 3, full: 14 };
  expect(testRounds(rounds, {})).toBe(3);
  expect(testRounds(rounds, { BATON_TEST_ROUNDS: '' })).toBe(3);
  expect(testRounds(rounds, { BATON_TEST_ROUNDS: 'full' })).toBe(14);
  expect(() => testRounds(rounds, { BATON_TEST_ROUNDS: '14' })).toThrow('BATON_TEST_ROUNDS is "14"');
});
