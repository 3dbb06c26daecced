import type { Clock } from '@baton/contracts';

/** Cuts something off that keeps failing, and lets one try through after a while to see whether it has recovered. */
export interface Breaker {
  /** Whether to try now. While cut off: one try, once the pause is over. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
  readonly isOpen: boolean;
}

/**
 * @param options.threshold failures in a row that open it; 5 when left out
 * @param options.pauseMs first pause; doubles with each failed try up to ten times itself; 30 000 when left out
 */
export function createBreaker(options: { clock: Clock; threshold?: number; pauseMs?: number }): Breaker {
  const { clock, threshold = 5, pauseMs = 30_000 } = options;
  let failures = 0;
  let pause = pauseMs;
  let openUntilMs: number | null = null;
  return {
    allows: () => openUntilMs === null || clock.monotonicMs() >= openUntilMs,
    succeeded() {
      [failures, pause, openUntilMs] = [0, pauseMs, null];
    },
    failed() {
      failures += 1;
      if (failures < threshold) return;
      // Beyond the threshold every failure is that of a probe.
      if (failures > threshold) pause = Math.min(pause * 2, pauseMs * 10);
      openUntilMs = clock.monotonicMs() + pause;
    },
    get isOpen() {
      return openUntilMs !== null;
    },
  };
}
