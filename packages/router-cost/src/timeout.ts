import type { Scope } from '@baton/contracts';

const minute = 60_000;
const timeouts: Readonly<Record<Scope, number>> = {
  small: 15 * minute,
  medium: 30 * minute,
  large: 60 * minute,
  xl: 120 * minute,
};
const lifetimes: Readonly<Record<Scope, number>> = {
  small: 30 * minute,
  medium: 30 * minute,
  large: 60 * minute,
  xl: 120 * minute,
};

/** A wall-clock limit and where it comes from. */
export interface Timeout {
  timeoutMs: number;
  /** How many past durations it rests on; 0: the scope's default. */
  samples: number;
}

/** How long a task may take, by its scope: 15, 30, 60, 120 minutes. Source: docs/spec/kernel.md#time-limits-by-scope-binding. */
export function scopeTimeoutMs(scope: Scope): number {
  return timeouts[scope];
}

/**
 * How long an agent's process may live, by its task's scope: 30, 30, 60, 120 minutes. Source:
 * docs/spec/kernel.md#lifetime-and-time-limit.
 */
export function lifetimeMs(scope: Scope): number {
  return lifetimes[scope];
}

/**
 * A time-out from how long tasks of the same role and scope took: their upper quantile times a factor, between a third of
 * the scope's default and the scope's lifetime. Too few samples give the scope's default.
 *
 * @param durationsMs durations of tries that *succeeded*; a try that was cut off would teach the limit to itself
 * @param options.quantile 0–1, 0.95 when left out
 * @param options.factor 1.5 when left out
 * @param options.minSamples 8 when left out
 */
export function adaptiveTimeout(
  durationsMs: readonly number[],
  options: { scope: Scope; quantile?: number; factor?: number; minSamples?: number },
): Timeout {
  const { scope, quantile = 0.95, factor = 1.5, minSamples = 8 } = options;
  const sorted = durationsMs.filter((ms) => Number.isFinite(ms) && ms >= 0).sort((a, b) => a - b);
  if (sorted.length < minSamples) return { timeoutMs: timeouts[scope], samples: 0 };
  const upper = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * quantile) - 1)] ?? 0;
  const floor = Math.round(timeouts[scope] / 3);
  const cap = lifetimes[scope];
  return { timeoutMs: Math.round(Math.min(cap, Math.max(floor, upper * factor))), samples: sorted.length };
}
