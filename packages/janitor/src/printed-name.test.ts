import { expect, test } from 'vitest';
import { printedName, quotedName, specsOf } from './printed-name.ts';

test.each([
  ['plain.txt', 'plain.txt'],
  [String.raw`"caf\303\251.txt"`, 'café.txt'],
  [String.raw`"caf\351.txt"`, String.raw`caf\351.txt`],
  [String.raw`"caf\350.txt"`, String.raw`caf\350.txt`],
  [String.raw`"a\tb\"c\\d.txt"`, 'a\tb"c\\d.txt'],
  [String.raw`"\303\251\351/x.ts"`, String.raw`\303\251\351/x.ts`],
])('git prints %s for the name %s', (printed, name) => {
  expect(printedName(printed)).toBe(name);
  expect(printedName(quotedName(name))).toBe(name);
});

test('a name that is no UTF-8 is found by its other bytes, and a name with signs of a pattern by itself', () => {
  expect(specsOf('a[1]*.ts')).toEqual([':(literal)a[1]*.ts']);
  expect(specsOf(String.raw`a[1]\351.ts`)).toEqual([
    String.raw`:(literal)a[1]\351.ts`,
    String.raw`:(glob)a\[1\]?.ts`,
  ]);
});
