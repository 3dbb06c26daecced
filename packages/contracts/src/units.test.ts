import { expect, test } from 'vitest';
import { duration, pathPrefix, repoPath, usd } from './units.ts';

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

test.each(['10', '10 m', 'm', '-5s', '1d', 0, -1, Number.POSITIVE_INFINITY, null])(
  '%s is no duration',
  (value) => {
    expect(duration.safeParse(value).success).toBe(false);
  },
);

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
