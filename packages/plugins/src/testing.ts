import type { Clock, Log } from '@baton/contracts';
import { createPluginBus, type PluginBus, type PluginFailure, type PluginReport } from './bus.ts';
import type { FeedItem, Move } from './feed-item.ts';
import type { InterceptResult } from './intercept.ts';
import type { InterceptorHook, InterceptorPayloads } from './interceptor-hooks.ts';
import type { Plugin } from './plugin.ts';

/** How a plugin is tried out. */
export interface TrialOptions {
  options?: unknown;
  /** Folder the plugin may write below; an absolute path. A plugin that writes nothing needs none. */
  directory?: string;
  /** Longest time for one handler; 1 000 when left out. */
  deadlineMs?: number;
}

/** What a plugin did with a recorded feed. */
export interface Replay {
  report: PluginReport;
  /** What it logged. */
  lines: { level: keyof Log; message: string }[];
  teardownFailures: PluginFailure[];
}

/**
 * A move as the feed gives it, with defaults for all that a test does not care about: task t1 of run r1 is claimed.
 */
export function recordedMove(change: Partial<Move> = {}): Move {
  return {
    position: 1,
    machine: 'task',
    entityId: 't1',
    runId: 'r1',
    taskId: 't1',
    taskKey: 'greet',
    taskTitle: 'Greet',
    seq: 2,
    from: 'OPEN',
    to: 'CLAIMED',
    event: 'claim',
    alias: null,
    kind: 'move',
    actor: 'worker:w1',
    reason: 'claimed',
    transitionReason: null,
    abortReason: null,
    metadata: {},
    at: new Date('2026-01-01T00:00:00Z'),
    ...change,
  };
}

/**
 * Runs a plugin against a recorded feed: sets it up, delivers every event in order, tears it down.
 * @throws what its setup throws
 */
export async function replayFeed(
  plugin: Plugin,
  options: TrialOptions & { events: readonly FeedItem[] },
): Promise<Replay> {
  const { bus, lines } = await trial(plugin, options);
  const cursors = new Map<string, number>();
  const pump = bus.feed({
    read: async (after, limit) => options.events.filter(({ position }) => position > after).slice(0, limit),
    getCursor: async (name) => cursors.get(name) ?? 0,
    setCursor: async (name, position) => void cursors.set(name, position),
  });
  // A failing event is tried until it is set aside; the standing clock keeps the breaker from pausing for real.
  for (let idle = 0; idle < 20;) idle = (await pump.runOnce()) === 0 ? idle + 1 : 0;
  const [report] = bus.report();
  const { failures } = await bus.teardown();
  if (report === undefined) throw new Error('a bus reports on every plugin');
  return { report, lines, teardownFailures: failures };
}

/** Asks a plugin's interceptors of one hook, once. */
export async function interceptOnce<Hook extends InterceptorHook>(
  plugin: Plugin,
  options: TrialOptions & { hook: Hook; payload: InterceptorPayloads[Hook] },
): Promise<InterceptResult<Hook>> {
  const { bus } = await trial(plugin, options);
  const result = await bus.intercept(options.hook, options.payload);
  await bus.teardown();
  return result;
}

async function trial(
  plugin: Plugin,
  options: TrialOptions,
): Promise<{ bus: PluginBus; lines: Replay['lines'] }> {
  const lines: Replay['lines'] = [];
  const write = (level: keyof Log) => (message: string) => void lines.push({ level, message });
  const bus = createPluginBus({
    plugins: [{ plugin, options: options.options }],
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    clock: leapingClock(),
    directory: options.directory ?? '/nonexistent',
    deadlineMs: options.deadlineMs ?? 1_000,
  });
  const { failures } = await bus.setup();
  if (failures[0] !== undefined) throw failures[0].error;
  return { bus, lines };
}

/** Each look at it is an hour after the last: whatever pauses, pauses no longer. */
function leapingClock(): Clock {
  let hours = 0;
  const start = Date.UTC(2026, 0, 1);
  return { now: () => new Date(start + hours * 3_600_000), monotonicMs: () => (hours += 1) * 3_600_000 };
}
