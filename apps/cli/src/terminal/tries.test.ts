import { expect, test } from 'vitest';

import { someAttempt, someTask } from '../../test/support/snapshots.ts';
import { triesOf, triesText, tryNumber } from './tries.ts';

test.each([
  ['one that nobody has begun', { status: 'OPEN', tries: 0 }, '0 of 4'],
  ['a first try at work', { status: 'IN_PROGRESS', tries: 0 }, '1 of 4'],
  ['landed at the first try', { status: 'CLOSED', tries: 0 }, '1 of 4'],
  ['a second try after one that counted', { status: 'CLAIMED', tries: 1 }, '2 of 4'],
  ['waiting between two tries', { status: 'OPEN', tries: 1 }, '1 of 4'],
  ['failed for good', { status: 'FAILED', tries: 4 }, '4 of 4'],
  ['a try that a person granted', { status: 'OPEN', tries: 4, grantedTries: 1 }, '4 of 5'],
  ['at the try that a person granted', { status: 'IN_PROGRESS', tries: 4, grantedTries: 1 }, '5 of 5'],
] as const)('tries count from 1: %s', (_, task, text) => {
  expect(triesText(someTask('a', task))).toBe(text);
});

test('an attempt is the try that it began, and one that did not count is none', () => {
  const attempts = [
    someAttempt('a', { number: 1, outcome: 'conflict', counted: false }),
    someAttempt('a', { number: 2, outcome: 'rejected', counted: true }),
    someAttempt('b', { number: 1, outcome: 'rejected', counted: true }),
    someAttempt('a', { number: 3, outcome: 'released', counted: false }),
    someAttempt('a', { number: 4, outcome: null, counted: false }),
  ];
  const own = attempts.filter(({ taskId }) => taskId === 'task-a');
  expect(own.map((attempt) => tryNumber(attempt, attempts))).toEqual([null, 1, null, 2]);
  expect(triesOf(someTask('a', { status: 'IN_PROGRESS', tries: 1 }))).toEqual({ tries: 2, maxTries: 4 });
});
