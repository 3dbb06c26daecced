import { manualClock } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createBreaker } from './breaker.ts';

test('a few failures in a row cut off, a success in between restarts the count', () => {
  const breaker = createBreaker({ clock: manualClock(), threshold: 3 });
  breaker.failed();
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  breaker.failed();
  expect(breaker.allows()).toBe(true);
  breaker.failed();
  expect([breaker.allows(), breaker.isOpen]).toEqual([false, true]);
});

test('after the pause one try decides: success ends it, failure doubles it up to a bound', () => {
  const clock = manualClock();
  const breaker = createBreaker({ clock, threshold: 1, pauseMs: 100 });
  const pauses = [100, 200, 400, 800, 1_000, 1_000];
  for (const pause of pauses) {
    breaker.failed();
    clock.advance(pause - 1);
    expect(breaker.allows()).toBe(false);
    clock.advance(1);
    expect(breaker.allows()).toBe(true);
  }
  breaker.succeeded();
  expect([breaker.allows(), breaker.isOpen]).toEqual([true, false]);
  breaker.failed();
  clock.advance(100);
  expect(breaker.allows()).toBe(true);
});
