import { expect, test } from 'vitest';

import { createColors, noColors } from './colors.ts';
import {
  commandLines,
  fitLines,
  fittedTable,
  formatBytes,
  formatTokens,
  formatUntil,
  formatUsd,
  listed,
  oneLine,
  serverEndText,
  table,
  wrapTo,
} from './format.ts';
import { cutTo, widthOf } from './width.ts';

test('small money keeps its digits, larger money has two, none is a dash', () => {
  expect([0, 42, 123_456, 12_300_000].map(formatUsd)).toEqual(['–', '<$0.0001', '$0.1235', '$12.30']);
});

test('a long list of names is cut after ten, and says how many more there are', () => {
  const names = Array.from({ length: 16_000 }, (_, at) => `t${at}`);
  expect(listed(names)).toBe('t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 15990 more');
  expect(listed(names.slice(0, 3))).toBe('t0, t1, t2');
});

test('commands stand beside what they do where that fits, else above it', () => {
  const steps = [
    ['baton diff', 'see it'],
    ['baton merge t', 'take it'],
  ] as const;
  const at = (columns: number | undefined) => commandLines(steps, { colors: noColors, columns });
  expect(at(undefined)).toEqual(['  baton diff     see it', '  baton merge t  take it']);
  expect(at(24)).toEqual(at(undefined));
  expect(at(23)).toEqual(['  baton diff', '      see it', '  baton merge t', '      take it']);
});

test('room is shown in the unit that fits', () => {
  expect([900, 812_000, 66_400_000, 1_240_000_000].map(formatBytes)).toEqual([
    ...['1 kB', '812 kB', '66 MB', '1.2 GB'],
  ]);
});

test('a time to come has its day and year when it is far off, and says how far', () => {
  const now = new Date(2026, 10, 22, 14, 4, 27);
  expect(formatUntil(new Date(2026, 10, 22, 14, 5, 12), now)).toBe('14:05:12 (in 45s)');
  expect(formatUntil(new Date(2030, 0, 1, 1, 0), now)).toBe('Tue 1 Jan 2030 01:00 (in 3y)');
  expect(formatUntil(new Date(2020, 0, 1), now)).toMatch(/ \(in 0ms\)$/);
});

test('text of several lines becomes one, cut to its width', () => {
  expect(oneLine('  a\n b\t c ', 10)).toBe('a b c');
  expect(oneLine('abcdefghij', 5)).toBe('abcd…');
});

test('a table has aligned columns, no borders and no trailing blanks', () => {
  const text = table(
    noColors,
    ['task', 'why'],
    [
      ['format', 'x'],
      ['a', 'yy'],
    ],
  );
  expect(text.split('\n')).toEqual(['task    why', 'format  x', 'a       yy']);
});

test('a wide character takes two columns, and nothing is cut in the middle of one', () => {
  expect(oneLine('日本語のタイトル', 7)).toBe('日本語…');
  expect(widthOf(cutTo('日本語のタイトル', 8))).toBeLessThanOrEqual(8);
  expect(cutTo('👩‍👩‍👧 family', 4)).toBe('👩‍👩‍👧 …');
  expect([cutTo('abc', 3), cutTo('abc', 0)]).toEqual(['abc', '']);
});

test('the last column of a table is cut to what the others leave of the terminal', () => {
  const rows = [
    ['format', 'the quick brown fox'],
    ['日本', 'x'],
  ];
  const lines = fittedTable(noColors, ['task', 'why'], { rows, width: 20 }).split('\n');
  expect(lines).toEqual(['task    why', 'format  the quick b…', '日本    x']);
  expect(fittedTable(noColors, ['task', 'why'], { rows, width: undefined })).toContain('brown fox');
});

test('tokens are shown in thousands and millions', () => {
  expect([0, 90, 3_240, 99_949, 123_456, 1_400_000].map(formatTokens)).toEqual([
    '0',
    '90',
    '3.2k',
    '99.9k',
    '123k',
    '1.4M',
  ]);
});

test('a long text is broken at spaces, a word that is too long has its own line, without a terminal nothing breaks', () => {
  const text = 'an agent can read what you can read';
  expect(wrapTo(text, { width: 20, indent: 4 })).toBe('an agent can\n    read what you\n    can read');
  expect(wrapTo('a /very/long/path/of/a/file b', { width: 12, indent: 2 })).toBe(
    'a\n  /very/long/path/of/a/file\n  b',
  );
  expect(wrapTo(text, { width: undefined, indent: 4 })).toBe(text);
});

test('each line of a text that is too wide wraps to below where it began, and colours take no room', () => {
  const colors = createColors({ enabled: true, seal: '1234;5678' });
  expect(fitLines('waits\n  for a person to look', 14)).toBe('waits\n  for a person\n  to look');
  const painted = colors.dim('for a person to look');
  expect(colors.strip(fitLines(painted, 12))).toBe('for a person\nto look');
  expect(fitLines('a b c', undefined)).toBe('a b c');
});

test('an unused server ends as long after its last use as was asked for, and soon without a request', () => {
  expect(serverEndText(300)).toBe('ends 5m after its last use (BATON_POSTGRES_KEEP_SECONDS)');
  expect(serverEndText(0)).toBe('ends within some 15 seconds');
});
