import { expect, test } from 'vitest';
import { flakyAboveOf, gates, isFlaky, settledGates } from './gates.ts';
import { plan } from './plan.ts';
import { repoConfig } from './repo-config.ts';

const twice = [
  { name: 'tests', command: ['npm', 'test'] },
  { name: 'lint', command: ['npm', 'run', 'lint'] },
  { name: 'tests', command: ['true'] },
];

test.each([
  [
    'a plan',
    () => plan.safeParse({ name: 'p', gates: twice, stages: [{ name: 's', steps: [{ title: 't' }] }] }),
  ],
  ['baton.yaml', () => repoConfig.safeParse({ gates: twice })],
])('two gates of one name in %s are refused with the place of the second', (_where, parse) => {
  expect(parse().error?.issues).toMatchObject([
    { path: ['gates', 2, 'name'], message: expect.stringContaining('another gate is named "tests"') },
  ]);
});

test('gates of different names stay as they are, behind the edge as well', () => {
  const parsed = gates.parse(twice.slice(0, 2));
  expect(settledGates.parse(parsed)).toEqual(parsed);
  expect(settledGates.safeParse([...parsed, ...parsed]).success).toBe(false);
});

test('how many trees a gate may refuse and then pass is a number of the last 20', () => {
  expect([null, {}, { flaky_above: 0 }, { flaky_above: 21 }].map(flakyAboveOf)).toEqual([1, 1, 0, 1]);
  expect(repoConfig.safeParse({ flaky_above: 21 }).success).toBe(false);
  expect(repoConfig.safeParse({ flaky_above: 0.1 }).success).toBe(false);
});

test('calls a gate flaky when more of its trees than allowed were refused and then passed', () => {
  expect([0, 1, 2].map((flaked) => isFlaky({ flaked }, { above: 1 }))).toEqual([false, false, true]);
  expect(isFlaky({ flaked: 1 }, { above: 0 })).toBe(true);
});
