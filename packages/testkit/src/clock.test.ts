import { expect, test } from 'vitest';

import { manualClock, sequentialIds } from './clock.ts';

test('a manual clock does not advance until it is advanced', () => {
  const clock = manualClock(new Date('2026-05-01T10:00:00Z'));
  expect(clock.now().toISOString()).toBe('2026-05-01T10:00:00.000Z');
  clock.advance(1_500);
  expect(clock.now().toISOString()).toBe('2026-05-01T10:00:01.500Z');
  expect(clock.monotonicMs()).toBe(1_500);
});

test('setting the clock back does not turn the monotonic time back', () => {
  const clock = manualClock();
  clock.set(new Date(Date.UTC(2026, 0, 2)));
  clock.set(new Date(Date.UTC(2025, 0, 1)));
  expect(clock.now().getUTCFullYear()).toBe(2025);
  expect(clock.monotonicMs()).toBe(86_400_000);
});

test('sequential ids are distinct version 7 UUIDs that sort by creation', () => {
  const ids = sequentialIds();
  const made = Array.from({ length: 11 }, () => ids.uuid());
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(11);
  expect(made[10]).toBe('00000000-0000-7000-8000-000000000011');
});
