import type { Clock } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createRecent } from './recent.ts';

const filter = { repoId: 'r', role: 'qa', scope: 'small' };

function rig(landed: number) {
  let [now, asked] = [0, 0];
  const clock: Clock = { now: () => new Date(now), monotonicMs: () => now };
  const answer = Array.from({ length: landed }, () => ({ durationMs: 1, agent: null, model: null }));
  const recent = createRecent({
    ...{ clock, env: {} },
    pastDurations: () => (
      (asked += 1),
      now === 5 ? Promise.reject(new Error('away')) : Promise.resolve(answer)
    ),
  });
  return { recent, asked: () => asked, at: (ms: number) => void (now = ms) };
}

test('where many tasks have landed, how long they took is asked for every half minute', async () => {
  const { recent, asked, at } = rig(40);
  await recent.durations(filter);
  at(29_999);
  expect(await recent.durations(filter)).toHaveLength(40);
  expect(asked()).toBe(1);
  await recent.durations({ ...filter, role: 'docs' });
  expect(asked()).toBe(2);
  at(30_000);
  await recent.durations(filter);
  expect(asked()).toBe(3);
});

test('where few have, each new one counts at once', async () => {
  const { recent, asked } = rig(39);
  await recent.durations(filter);
  await recent.durations(filter);
  expect(asked()).toBe(2);
});

test('a failure is not kept', async () => {
  const { recent, asked, at } = rig(40);
  at(5);
  await expect(recent.durations(filter)).rejects.toThrow('away');
  at(6);
  await recent.durations(filter);
  await recent.durations(filter);
  expect(asked()).toBe(2);
});
