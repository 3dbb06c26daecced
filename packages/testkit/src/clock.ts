import type { Clock, Ids } from '@baton/contracts';

/** A clock that only tests advance. */
export interface ManualClock extends Clock {
  /** Moves the clock on. */
  advance(ms: number): void;
  /** Sets the time of day; the monotonic time advances by the difference, never back. */
  set(instant: Date): void;
}

/** Makes a clock that shows `start` (2026-01-01T00:00:00Z when left out) until it is moved. */
export function manualClock(start: Date = new Date(Date.UTC(2026, 0, 1))): ManualClock {
  let nowMs = start.getTime();
  let monotonicMs = 0;
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => monotonicMs,
    advance(ms) {
      nowMs += ms;
      monotonicMs += ms;
    },
    set(instant) {
      monotonicMs += Math.max(0, instant.getTime() - nowMs);
      nowMs = instant.getTime();
    },
  };
}

/** Ids that count up and sort by creation: `00000000-0000-7000-8000-000000000001`, … */
export function sequentialIds(): Ids {
  let next = 0;
  return { uuid: () => `00000000-0000-7000-8000-${String(++next).padStart(12, '0')}` };
}
