import { expect, test } from 'vitest';
import { asText, lookup } from './lookup.ts';

test('a path leads through objects and lists', () => {
  expect(lookup({ commits: [{ id: 'a' }, { id: 'b' }] }, 'commits.1.id')).toBe('b');
});

test.each(['toString', '__proto__', 'constructor', 'commits.map', 'none', 'text.0', ''])(
  'what is inherited or missing is not there: %j',
  (path) => {
    expect(lookup({ commits: [], text: 'abc' }, path)).toBeUndefined();
  },
);

test.each([
  ['text', 'text'],
  [7, '7'],
  [false, 'false'],
  [null, ''],
  [undefined, ''],
  [{ a: 1 }, '{\n  "a": 1\n}'],
])('%j becomes the text %j', (value, text) => {
  expect(asText(value)).toBe(text);
});
