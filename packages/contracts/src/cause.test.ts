import { expect, test } from 'vitest';
import { causeOfVariables, causeVariables } from './cause.ts';

test('what an agent sends is one link longer than the longest chain of its tasks', () => {
  expect(causeOfVariables(causeVariables({ runId: 'r1', depths: [0, 2] }))).toEqual({
    runId: 'r1',
    depth: 3,
  });
  expect(causeOfVariables(causeVariables({ runId: 'r1', depths: [] }))).toEqual({ runId: 'r1', depth: 1 });
  expect(causeOfVariables(causeVariables({ runId: 'r1', depths: [1000] }))).toEqual({
    runId: 'r1',
    depth: 1000,
  });
  expect(causeOfVariables({ PATH: '/bin' })).toBeNull();
});

test.each([
  { BATON_CAUSE_RUN: 'r1' },
  { BATON_CAUSE_DEPTH: '1' },
  { BATON_CAUSE_RUN: 'r1', BATON_CAUSE_DEPTH: '0' },
  { BATON_CAUSE_RUN: 'r1', BATON_CAUSE_DEPTH: '1001' },
  { BATON_CAUSE_RUN: 'r1', BATON_CAUSE_DEPTH: '1.5' },
  { BATON_CAUSE_RUN: '', BATON_CAUSE_DEPTH: '1' },
])('a cause that is half there is refused: %j', (env) => {
  expect(() => causeOfVariables(env)).toThrow(/BATON_CAUSE_RUN/);
});
