import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { Clock } from '@baton/contracts';

/** The computer's clock: the only place of the command line that reads the time. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};

/** Digits that nobody outside can guess: what our own colours are told from others by while text is put together. */
export function systemSeal(): string {
  return Array.from({ length: 3 }, () => randomInt(1_000, 10_000)).join(';');
}
