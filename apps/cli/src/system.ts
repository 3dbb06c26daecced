import { performance } from 'node:perf_hooks';

import type { Clock } from '@baton/contracts';

/** The computer's clock: the only place of the command line that reads the time. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
