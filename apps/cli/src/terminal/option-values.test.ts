import { expect, test } from 'vitest';

import { budgetOf, capOf, dollars } from './option-values.ts';

test.each([
  ['5', 5_000_000],
  ['0.50', 500_000],
  ['0.000001', 1],
  ['1000000', 1e12],
  ['$5', 5_000_000],
])('%s dollars are %d micro-dollars', (text, micro) => {
  expect(dollars(text)).toBe(micro);
});

test('the refusal of a cap says how none is written, or that the run comes after it', () => {
  for (const text of ['None', 'unlimited', 'INF']) expect(() => capOf(text)).toThrow('Write none.');
  expect(() => capOf('tidy-7k2f')).toThrow('It comes before the name of the run.');
  expect(() => capOf('USD 5')).toThrow('Write the number alone: 5.');
});

test('a budget may be nothing, and no amount below the unit is', () => {
  expect([budgetOf('0'), budgetOf('0.00'), budgetOf('0.50')]).toEqual([0, 0, 500_000]);
  expect(() => budgetOf('0.0000001')).toThrow('at most 6 digits');
  expect(() => budgetOf('-0')).toThrow('such as 5 or 0.50.');
  expect([capOf('none'), capOf('0'), capOf('$2.50')]).toEqual([null, 0, 2_500_000]);
  for (const read of [budgetOf, capOf, dollars]) expect(() => read('5,00')).toThrow('Write a point: 5.00.');
  expect(() => capOf('nothing')).toThrow('or "none"');
});

test.each([
  ['0.0000001', 'at most 6 digits after the point'],
  ['1.1234567', 'The unit is a millionth of a dollar'],
  ['5,00', 'Write a point: 5.00.'],
  ['1000001', 'At most 1000000.'],
  ['-1', 'such as 5 or 0.50'],
  ['1e3', 'such as 5 or 0.50'],
  ['$', 'such as 5 or 0.50'],
  ['5 USD', 'Write the number alone: 5.'],
  ['5usd', 'Write the number alone: 5.'],
  ['US$2.50', 'Write the number alone: 2.50.'],
  ['5$', 'Write the number alone: 5.'],
  ['“5”', 'Write the number alone: 5.'],
  ['1,000', 'Write no comma between thousands: 1000.'],
  ['12,345,678.90', 'Write no comma between thousands: 12345678.90.'],
  ['€5', 'such as 5 or 0.50.'],
  ['٥', 'such as 5 or 0.50'],
  ['', 'such as 5 or 0.50'],
  ['0', 'such as 5 or 0.50'],
])('"%s" is no amount of money, and the refusal says what is', (text, told) => {
  expect(() => dollars(text)).toThrow(told);
});
