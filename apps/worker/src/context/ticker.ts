import type { Log } from '@baton/contracts';

/** A piece of upkeep that runs again and again, never twice at once. */
export interface Ticker {
  /** Runs it now, or again right after the run that is going on. */
  wake(): void;
  /** Ends it after the run that is going on. */
  stop(): Promise<void>;
}

/** Starts `run` now and then `everyMs` after each end. An error is logged and the next run comes all the same. */
export function startTicker(
  name: string,
  options: { everyMs: number; run: () => Promise<void>; log: Log },
): Ticker {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const tick = (): void => {
    clearTimeout(timer);
    if (stopped || running) {
      woken = true;
      return;
    }
    woken = false;
    running = options
      .run()
      .catch((cause: unknown) =>
        options.log.warn(`${name} failed; it will be tried again`, { cause: String(cause) }),
      )
      .then(() => {
        running = undefined;
        if (stopped) return;
        timer = setTimeout(tick, woken ? 0 : options.everyMs);
      });
  };
  tick();
  return {
    wake: tick,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
