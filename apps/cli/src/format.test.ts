import { expect, test } from 'vitest';

import { noColors } from './colors.ts';
import { cutTo, fittedTable, formatTokens, formatUsd, oneLine, table, widthOf } from './format.ts';

test('small money keeps its digits, larger money has two, none is a dash', () => {
  expect([0, 42, 123_456, 12_300_000].map(formatUsd)).toEqual(['–', '<$0.0001', '$0.1235', '$12.30']);
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

test('tokens are told in thousands and millions', () => {
  expect([0, 90, 3_240, 99_949, 123_456, 1_400_000].map(formatTokens)).toEqual([
    '0',
    '90',
    '3.2k',
    '99.9k',
    '123k',
    '1.4M',
  ]);
});
