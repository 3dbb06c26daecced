import { expect, test } from 'vitest';
import { inParts } from './in-parts.ts';

test('the first cases of a table are of the suite, the others long tests, and none is left out', () => {
  expect(inParts(1, ['a', 'b', 'c'])).toEqual([
    [['a'], { tags: [] }],
    [['b', 'c'], { tags: ['long'] }],
  ]);
  expect(inParts(5, ['a'])).toEqual([
    [['a'], { tags: [] }],
    [[], { tags: ['long'] }],
  ]);
});
