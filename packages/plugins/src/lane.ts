import type { Clock, Log } from '@baton/contracts';
import { createBreaker } from './breaker.ts';
import { withDeadline } from './deadline.ts';
import type { FeedItem } from './feed-item.ts';
import type { Host } from './host.ts';
import { hooksOf } from './observer-hooks.ts';

/** How one plugin's observers fare. */
export interface LaneReport {
  /** Position up to which everything was delivered or set aside. */
  position: number | null;
  delivered: number;
  failures: number;
  /** Events that were given up after repeated failures, newest last, at most 20. */
  setAside: number[];
  cutOff: boolean;
}

/** One plugin's way through the feed, at its own pace. */
export interface Lane {
  readonly name: string;
  /** Delivers at most one page; resolves to how many events it got past. Never rejects for what a plugin does. */
  step(): Promise<number>;
  /** Makes a running step end after the event it is at, and waits for that. */
  halt(): Promise<void>;
  report(): LaneReport;
}

/** What a lane needs. */
export interface LaneOptions {
  read(after: number): Promise<readonly FeedItem[]>;
  getCursor(name: string): Promise<number>;
  setCursor(name: string, position: number): Promise<void>;
  clock: Clock;
  log: Log;
  deadlineMs: number;
  /** Failed deliveries of one event after which it is set aside, so that one event cannot stop all that follow. */
  maxAttempts: number;
}

/**
 * Leads a plugin's observers through the feed: in order, at least once, from a durable cursor that is moved only past
 * delivered events. Failures open a breaker of this plugin alone; after the pause the same event is tried again.
 */
export function createLane(host: Host, options: LaneOptions): Lane {
  const { clock, log, maxAttempts } = options;
  const name = `plugin:${host.plugin.name}`;
  const breaker = createBreaker({ clock });
  const report: LaneReport = { position: null, delivered: 0, failures: 0, setAside: [], cutOff: false };
  let attempts = 0;
  let busy: Promise<number> | null = null;
  let halting = false;

  async function deliver(item: FeedItem): Promise<boolean> {
    try {
      if (await observe(host, item, options.deadlineMs)) breaker.succeeded();
      report.delivered += 1;
      attempts = 0;
      return true;
    } catch (error) {
      attempts += 1;
      report.failures += 1;
      host.lastError = error instanceof Error ? error.message : String(error);
      breaker.failed();
      if (attempts < maxAttempts) return false;
      log.error('an event was set aside: the plugin failed on it too often', {
        plugin: host.plugin.name,
        position: item.position,
        error: host.lastError,
      });
      report.setAside = [...report.setAside, item.position].slice(-20);
      attempts = 0;
      return true;
    }
  }

  async function page(): Promise<number> {
    if (host.state !== 'ready' || !breaker.allows()) return 0;
    const start = (report.position ??= await options.getCursor(name));
    let position = start;
    let passed = 0;
    for (const item of await options.read(start)) {
      if (halting || host.state !== 'ready' || !breaker.allows() || !(await deliver(item))) break;
      position = item.position;
      passed += 1;
    }
    if (position !== start) await options.setCursor(name, position);
    report.position = position;
    return passed;
  }

  return {
    name,
    step() {
      busy ??= page().finally(() => (busy = null));
      return busy;
    },
    async halt() {
      halting = true;
      await busy?.catch(() => {});
      halting = false;
    },
    report: () => ({ ...report, cutOff: breaker.isOpen }),
  };
}

/** Whether any observer wanted the item. */
async function observe(host: Host, item: FeedItem, deadlineMs: number): Promise<boolean> {
  let wanted = false;
  for (const hook of hooksOf(item)) {
    for (const handler of host.observers.get(hook) ?? []) {
      wanted = true;
      // A date cannot be frozen, so each handler gets its own.
      const own = Object.freeze({ ...item, at: new Date(item.at) });
      await withDeadline((signal) => handler(own, { signal }), {
        ms: deadlineMs,
        what: `The plugin "${host.plugin.name}" (${hook})`,
      });
    }
  }
  return wanted;
}
