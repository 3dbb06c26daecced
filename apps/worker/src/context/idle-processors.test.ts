import { expect, it } from 'vitest';
import { createIdleMeter } from './idle-processors.ts';

it('counts the processors that did nothing since it was asked before', () => {
  const times = [
    { count: 4, total: 1_000, idle: 900 },
    { count: 4, total: 2_000, idle: 1_150 },
    { count: 4, total: 3_000, idle: 2_150 },
    { count: 4, total: 3_000, idle: 2_150 },
  ];
  const meter = createIdleMeter(() => times.shift() ?? { count: 4, total: 0, idle: 0 });
  expect([meter(), meter()]).toEqual([1, 4]);
  expect(meter(), 'no time has passed').toBe(4);
});

it('reads the times of this machine', () => {
  const idle = createIdleMeter()();
  expect(idle).toBeGreaterThanOrEqual(0);
});
