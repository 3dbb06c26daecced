import { expect, it } from 'vitest';
import { batchSize, type BatchRoom } from './batch-size.ts';

const room = (given: Partial<BatchRoom>): BatchRoom => ({
  ...{ sharing: 'crowded', limit: 3, ready: 1, slots: 1 },
  ...given,
});

it('gives every ready task an agent of its own as long as agents can be started', () => {
  for (let ready = 1; ready <= 8; ready += 1) expect(batchSize(room({ ready, slots: ready }))).toBe(1);
  expect(batchSize(room({ ready: 3, slots: 8 }))).toBe(1);
});

it('shares out in equal parts what is more than the agents', () => {
  expect(batchSize(room({ ready: 4, slots: 3 }))).toBe(2);
  expect(batchSize(room({ ready: 6, slots: 3 }))).toBe(2);
  expect(batchSize(room({ ready: 7, slots: 3 }))).toBe(3);
});

it('never goes beyond the batch size of the plan, whatever waits', () => {
  expect(batchSize(room({ ready: 50, slots: 1 }))).toBe(3);
  expect(batchSize(room({ ready: 50, slots: 1, limit: 1 }))).toBe(1);
});

it('fills a batch where the agent is said to gain by it, and never one of a command', () => {
  expect(batchSize(room({ sharing: 'always', ready: 3, slots: 3 }))).toBe(3);
  expect(batchSize(room({ sharing: 'never', ready: 50, slots: 1 }))).toBe(1);
});

it('asks nothing of a caller that does not say how many agents it could start', () => {
  expect(batchSize(room({ ready: 2, slots: null }))).toBe(3);
});
