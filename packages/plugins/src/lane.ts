import type { Clock, Log } from '@baton/contracts';
import { createBreaker, type Breaker } from './breaker.ts';
import { withDeadline } from './deadline.ts';
import { failureText } from './failure-text.ts';
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

interface LaneState {
  readonly host: Host;
  readonly options: LaneOptions;
  /** Name of its cursor. */
  readonly name: string;
  readonly breaker: Breaker;
  readonly report: LaneReport;
  /** Failed deliveries of the event it is at. */
  attempts: number;
  halting: boolean;
}

/**
 * Leads a plugin's observers through the feed: in order, at least once, from a durable cursor that is moved only past
 * delivered events. Failures open a breaker of this plugin alone; after the pause the same event is tried again.
 */
export function createLane(host: Host, options: LaneOptions): Lane {
  const state: LaneState = {
    host,
    options,
    name: `plugin:${host.plugin.name}`,
    breaker: createBreaker({ clock: options.clock }),
    report: { position: null, delivered: 0, failures: 0, setAside: [], cutOff: false },
    attempts: 0,
    halting: false,
  };
  let busy: Promise<number> | null = null;
  return {
    name: state.name,
    step() {
      busy ??= deliverPage(state).finally(() => (busy = null));
      return busy;
    },
    async halt() {
      state.halting = true;
      await busy?.catch(() => {});
      state.halting = false;
    },
    report: () => ({ ...state.report, cutOff: state.breaker.isOpen }),
  };
}

async function deliverPage(state: LaneState): Promise<number> {
  const { host, options, name, breaker, report } = state;
  if (host.state !== 'ready' || !breaker.allows()) return 0;
  const start = (report.position ??= await options.getCursor(name));
  let position = start;
  let passed = 0;
  for (const item of await options.read(start)) {
    if (state.halting || host.state !== 'ready' || !breaker.allows() || !(await deliver(state, item))) break;
    position = item.position;
    passed += 1;
  }
  if (position !== start) await options.setCursor(name, position);
  report.position = position;
  return passed;
}

/** Whether the lane is past the event: it was delivered or set aside. */
async function deliver(state: LaneState, item: FeedItem): Promise<boolean> {
  const { host, options, breaker, report } = state;
  try {
    if (await observe(host, item, options.deadlineMs)) breaker.succeeded();
    report.delivered += 1;
    state.attempts = 0;
    return true;
  } catch (error) {
    state.attempts += 1;
    report.failures += 1;
    host.lastError = failureText(error);
    breaker.failed();
    if (state.attempts < options.maxAttempts) return false;
    options.log.error('an event was set aside: the plugin failed on it too often', {
      plugin: host.plugin.name,
      position: item.position,
      error: host.lastError,
    });
    report.setAside = [...report.setAside, item.position].slice(-20);
    state.attempts = 0;
    return true;
  }
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
