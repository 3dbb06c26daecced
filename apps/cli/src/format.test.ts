import { expect, test } from 'vitest';

import { noColors } from './colors.ts';
import { formatUsd, oneLine, table } from './format.ts';

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
