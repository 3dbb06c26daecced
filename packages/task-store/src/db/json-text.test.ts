import { expect, test } from 'vitest';

import { jsonText } from './json-text.ts';

test('NUL and halves of surrogate pairs become the replacement character, in keys too', () => {
  expect(JSON.parse(jsonText({ 'k\0': ['a\0b', '\ud83c', 'x\udf89y'] }))).toEqual({
    'k\uFFFD': ['a\uFFFDb', '\uFFFD', 'x\uFFFDy'],
  });
});

test('everything else comes back as it was', () => {
  const value = { text: '\\u0000 \\\\u0000 "\n\t\u0001 🎉 ü', list: [1, null, true] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
});
