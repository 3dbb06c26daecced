import type { Log } from '@baton/contracts';

/** A piece of upkeep that runs again and again, never twice at once. */
export interface Ticker {
  /** Runs it now, or again right after the run in progress. */
  wake(): void;
  /** Runs it within that many ms, once for all that ask until then. */
  soon(ms: number): void;
  /** Ends it after the run in progress. */
  stop(): Promise<void>;
}

const slowestMs = 5_000;

/**
 * Starts `run` now and then `everyMs` after each end. While it fails, it is tried again at growing distances, at most 5 s
 * apart, but never sooner than it would run anyway. Of failures in a row those are logged whose cause is another than that of the one
 * before, then the recovery.
 */
export function startTicker(
  name: string,
  options: { everyMs: number; run: () => Promise<void>; log: Log },
): Ticker {
  let stopped = false;
  let woken = false;
  let failures = 0;
  let told = '';
  let timer: NodeJS.Timeout | undefined;
  let soonTimer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const failed = (cause: unknown) => {
    failures += 1;
    const text = String(cause);
    if (text !== told) options.log.warn(`${name} failed; it will be tried again`, { cause: text });
    told = text;
  };
  const worked = () => {
    if (failures > 0) options.log.info(`${name} works again`, { failures });
    failures = 0;
    told = '';
  };
  const tick = (): void => {
    if (stopped || running) {
      woken = true;
      return;
    }
    clearTimeout(timer);
    clearTimeout(soonTimer);
    soonTimer = undefined;
    woken = false;
    running = options
      .run()
      .then(worked, failed)
      .then(() => {
        running = undefined;
        if (stopped) return;
        const backOffMs = failures === 0 ? 0 : Math.min(slowestMs, options.everyMs * 2 ** failures);
        timer = setTimeout(tick, woken && failures === 0 ? 0 : Math.max(options.everyMs, backOffMs));
      });
  };
  // While it fails, waking it more often would only make a database that comes up slower.
  const wake = (): void => (failures === 0 ? tick() : undefined);
  tick();
  return {
    wake,
    soon(ms) {
      if (!stopped) soonTimer ??= setTimeout(wake, ms);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(soonTimer);
      await running;
    },
  };
}
