import { performance } from 'node:perf_hooks';
import type { Clock, Ids } from '@baton/contracts';
import { v7 } from 'uuid';

/** The computer's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

/** Fresh UUIDs, version 7: ids sort by creation. */
export const systemIds: Ids = { uuid: () => v7() };
