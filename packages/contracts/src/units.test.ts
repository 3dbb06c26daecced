import { expect, test } from 'vitest';
import { age, diskSpace, duration, pathPrefix, repoPath, settledDuration, timeLimit, usd } from './units.ts';

test.each([
  [30, 30_000],
  [0.5, 500],
  ['500ms', 500],
  ['90s', 90_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
])('a duration of %s is %d ms', (text, ms) => {
  expect(duration.parse(text)).toBe(ms);
});

const never = ['0s', '0ms', '0.0h', '0.1ms', 0.0001, '1000000h', `${'9'.repeat(400)}h`, 1e300];
test.each(['10', '10 m', 'm', '-5s', '1d', 0, -1, Number.POSITIVE_INFINITY, null, ...never])(
  '%s is no duration',
  (value) => {
    expect(duration.safeParse(value).success).toBe(false);
  },
);

test('what is timed is no longer than a timer waits and an integer of Postgres holds; other durations may be', () => {
  expect(timeLimit.parse('596h')).toBe(2_145_600_000);
  expect(settledDuration.parse('596h')).toBe(2_145_600_000);
  expect(duration.parse('1000h')).toBe(3_600_000_000);
  for (const long of ['597h', '1000h', 2_147_484])
    expect(timeLimit.safeParse(long).error?.issues[0]?.message).toContain('not be longer than 596h');
  for (const odd of ['597h', 2_147_483_648, '0s', 0, 1.5])
    expect(settledDuration.safeParse(odd).success).toBe(false);
});

test('ages and disk space are of amounts that can be reckoned with', () => {
  expect(age.parse('999999d')).toBeLessThan(8.64e15);
  expect(Number.isSafeInteger(diskSpace.parse('9000TB'))).toBe(true);
  expect(age.safeParse('1000000d').success).toBe(false);
  expect(diskSpace.safeParse('1000000TB').success).toBe(false);
});

test.each([
  [5, 5_000_000],
  [0, 0],
  [0.1, 100_000],
  [0.000001, 1],
  [1.005, 1_005_000],
])('%d dollars are %d micro-dollars', (dollars, micro) => {
  expect(usd.parse(dollars)).toBe(micro);
});

test.each([-1, 1_000_001, Number.NaN, '5'])('%s is no sum of money', (value) => {
  expect(usd.safeParse(value).success).toBe(false);
});

test.each(['src/a.ts', 'a', 'src/', 'a..b/c', '.github/x'])('%s stays inside the repository', (path) => {
  expect(repoPath.safeParse(path).success).toBe(true);
});

test.each(['/etc/passwd', '../x', 'a/../../x', 'C:/x', 'a\\b', 'a\0b', ''])(
  '%j is no repository path',
  (path) => {
    expect(repoPath.safeParse(path).success).toBe(false);
  },
);

test('a dot means the whole repository only as a prefix', () => {
  expect(pathPrefix.parse('.')).toBe('.');
});

test.each(['src/**', '*.ts', 'src/?.ts', '**'])('the pattern %j is no prefix of paths', (path) => {
  expect(pathPrefix.safeParse(path).error?.issues[0]?.message).toContain('not a pattern');
});

test.each(['app/[id]/page.tsx', 'a{b}', 'src/'])('%j is a path as it is', (path) => {
  expect(pathPrefix.parse(path)).toBe(path);
});

test.each([0.0000001, 1.1234567, 5.0000001])(
  '%d dollars are refused: a part of the unit would be lost',
  (dollars) => {
    expect(usd.safeParse(dollars).error?.issues[0]?.message).toContain('at most 6 digits after the point');
  },
);
