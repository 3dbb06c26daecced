import { expect, it } from 'vitest';
import type { WorkerContext } from '../context/context.ts';
import type { HeldLane } from './land-chain.ts';
import { longestTrain, noteTrain } from './land-train.ts';

const held = { lane: { id: 'l' } } as HeldLane;

it('makes trains half as long after a red one, down to pairs, and twice as long after a green one', () => {
  const ctx = { trainLengths: new Map<string, number>() } as WorkerContext;
  const after = (length: number, isGreen: boolean) => {
    noteTrain(ctx, { held, length, isGreen });
    return ctx.trainLengths.get('l') ?? longestTrain;
  };
  expect(after(1, false), 'one alone is no train').toBe(longestTrain);
  expect(after(16, false)).toBe(8);
  expect(after(5, false)).toBe(3);
  expect(after(3, false)).toBe(2);
  expect(after(2, false)).toBe(2);
  expect(after(2, true)).toBe(4);
  expect(after(3, true)).toBe(6);
  expect(after(6, true)).toBe(12);
  expect(after(2, true), 'a short one says nothing about long ones').toBe(12);
  expect(after(12, true)).toBe(longestTrain);
});
