import type { Clock } from '@baton/contracts';

/** What {@link watch} watches. */
export interface WatchOptions {
  clock: Clock;
  /** Monotonic time at which the time is up. */
  deadlineMs: number;
  /** Without a sign of life for so long the process counts as hung. */
  silenceMs: number;
  /** CPU milliseconds used so far by all that belongs to the agent. */
  cpuMs: () => number;
  /** Called once, when either happens. */
  onLapse: (what: 'deadline' | 'silence') => void;
}

/** A watch over one task. */
export interface Watch {
  /** Something was heard of the agent. */
  sign(): void;
  stop(): void;
}

/** Share of one core under which CPU time is the idling of a hung program and no sign of life. */
const idleShare = 0.01;
const shortestTickMs = 20;
const longestTickMs = 30_000;

/**
 * Watches the deadline and the signs of life of an agent: what it writes and the CPU time of all its processes. A
 * silent agent that computes (a test suite without output) lives. Source: docs/spec/agents.md#supervision.
 */
export function watch(options: WatchOptions): Watch {
  const { clock, deadlineMs, silenceMs, cpuMs, onLapse } = options;
  let lastSignMs = clock.monotonicMs();
  let lookedMs = lastSignMs;
  let cpu = 0;
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const now = clock.monotonicMs();
    if (now >= deadlineMs) return onLapse('deadline');
    if (now - lastSignMs >= silenceMs / 2) {
      const used = cpuMs();
      if (used - cpu > (now - lookedMs) * idleShare && lookedMs > lastSignMs) lastSignMs = now;
      cpu = used;
    }
    lookedMs = now;
    if (now - lastSignMs >= silenceMs) return onLapse('silence');
    schedule(now);
  };
  const schedule = (now: number) => {
    const next = Math.min(deadlineMs - now, silenceMs / 8, longestTickMs);
    timer = setTimeout(look, Math.max(next, shortestTickMs));
  };
  schedule(lastSignMs);
  return {
    sign: () => {
      lastSignMs = clock.monotonicMs();
    },
    stop: () => clearTimeout(timer),
  };
}
