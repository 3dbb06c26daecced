import type { Clock } from '@baton/contracts';

/** The time of the agent's own process: no caller can pass it one. */
export const ownClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
