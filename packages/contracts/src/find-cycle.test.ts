import { expect, it } from 'vitest';

import { findCycle } from './find-cycle.ts';

const of = (edges: Record<string, string[]>) => findCycle(new Map(Object.entries(edges)));

it('a cycle is returned from its first name to the same one, and none where there is none', () => {
  expect(of({ a: ['b'], b: ['c'], c: ['a'] })).toEqual(['a', 'b', 'c', 'a']);
  expect(of({ x: ['a'], a: ['b'], b: ['a'] })).toEqual(['a', 'b', 'a']);
  expect(of({ a: ['a'] })).toEqual(['a', 'a']);
  expect(of({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] })).toBeNull();
  expect(of({ a: ['elsewhere'] })).toBeNull();
});

it('a chain of 200,000 is looked through, with and without a cycle at its end', () => {
  const chain = new Map(Array.from({ length: 200_000 }, (_, at) => [`n${at}`, [`n${at + 1}`]]));
  expect(findCycle(chain)).toBeNull();
  chain.set('n200000', ['n199999']);
  expect(findCycle(chain)).toEqual(['n199999', 'n200000', 'n199999']);
});
