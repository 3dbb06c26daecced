import { expect, test } from 'vitest';

import { bindable, wellFormedJson } from './bindable.ts';

const text = 'SELECT $1::text, $2::jsonb, $3::jsonb[], $10::jsonb';

test('text, lists of text, JSON and lists of JSON lose what Postgres refuses and keep all else', () => {
  const when = new Date(0);
  const values = [
    'a\0b\ud83c',
    '{"k":"a\\u0000"}',
    ['{"k":"\\ud83c"}'],
    7,
    when,
    null,
    ['\0', null],
    undefined,
    true,
  ];
  expect(bindable(text, [...values, '["\\u0000"]'])).toEqual([
    'a\uFFFDb\uFFFD',
    '{"k":"a\uFFFD"}',
    ['{"k":"\uFFFD"}'],
    7,
    when,
    null,
    ['\uFFFD', null],
    undefined,
    true,
    '["\uFFFD"]',
  ]);
});

test('text that only looks like an escape is kept in text and in JSON', () => {
  expect(bindable(text, ['\\u0000', JSON.stringify('\\u0000')])).toEqual([
    '\\u0000',
    JSON.stringify('\\u0000'),
  ]);
});

test('a pair that was written as two escapes is kept, a half is not, whatever is beside it', () => {
  expect(wellFormedJson('"\\ud83c\\udf89"')).toBe('"\\ud83c\\udf89"');
  expect(wellFormedJson('"\\ud83c\\ud83c\\udf89\\udf89"')).toBe('"\uFFFD\\ud83c\\udf89\uFFFD"');
});
