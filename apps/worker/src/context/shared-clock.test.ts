import { manualClock } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createSharedClock } from './shared-clock.ts';

function open() {
  const own = manualClock();
  const warnings: unknown[] = [];
  const clock = createSharedClock(own, { warn: (_message, fields) => void warnings.push(fields) });
  const plus = (ms: number) => new Date(own.now().getTime() + ms);
  return { own, clock, plus, warnings };
}

it('is the clock of the machine while the two differ by what an answer takes', () => {
  const { clock, plus, warnings } = open();
  for (const ms of [0, 900, -4_000]) clock.setBy(plus(ms));
  expect(clock.now()).toEqual(plus(0));
  expect(warnings).toEqual([]);
});

it('shows the time of the database where the machine is wrong, and says so once', () => {
  const { own, clock, plus, warnings } = open();
  clock.setBy(plus(600_000));
  own.advance(10_000);
  clock.setBy(plus(600_300));
  expect(clock.now()).toEqual(plus(600_000));
  expect(warnings).toEqual([{ behindMs: 600_000 }]);
  clock.setBy(plus(-60_000));
  expect(clock.now()).toEqual(plus(-60_000));
  expect(warnings).toEqual([{ behindMs: 600_000 }, { aheadMs: 60_000 }]);
});

it('is the clock of the machine again once that was put right', () => {
  const { clock, plus, warnings } = open();
  clock.setBy(plus(600_000));
  clock.setBy(plus(100));
  expect(clock.now()).toEqual(plus(0));
  expect(warnings).toHaveLength(1);
});

it('measures durations as before', () => {
  const { own, clock, plus } = open();
  clock.setBy(plus(600_000));
  expect(clock.monotonicMs()).toBe(own.monotonicMs());
});
