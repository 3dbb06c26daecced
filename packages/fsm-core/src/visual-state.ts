/** How a session looks to an operator. Source: docs/spec/kernel.md#visual-states-binding. */
export type VisualState = 'SPAWNING' | 'RUNNING' | 'STALLED' | 'MERGING' | 'DEAD' | 'IDLE' | 'UNKNOWN';

/** Sign and colour of each visual state, for every user interface. */
export const VISUAL_STATES = {
  SPAWNING: { indicator: '◔', color: 'yellow' },
  RUNNING: { indicator: '●', color: 'green' },
  STALLED: { indicator: '◐', color: 'dark orange' },
  MERGING: { indicator: '⇄', color: 'blue' },
  DEAD: { indicator: '○', color: 'red' },
  IDLE: { indicator: '□', color: 'gray' },
  UNKNOWN: { indicator: '◌', color: 'dim' },
} as const satisfies Record<VisualState, { indicator: string; color: string }>;

/** When silence counts. */
export interface VisualThresholds {
  /** An active session without a sign of life for this long is stalled (at exactly this age too). */
  readonly stallMs: number;
  /** A session that is not ready after this long is dead. */
  readonly spawnTimeoutMs: number;
}

/** 300 s and 60 s. */
export const defaultVisualThresholds: VisualThresholds = Object.freeze({
  stallMs: 300_000,
  spawnTimeoutMs: 60_000,
});

/** An instant: a Date, or milliseconds since the Unix epoch. */
export type Instant = Date | number;

/** What is known of a session. */
export interface VisualInput {
  /** State of the agent machine, or a status word of another system. Null: not launched yet. */
  readonly status: string | null;
  /** What it is busy with; merging, committing and pushing show as MERGING. */
  readonly activity?: string | null | undefined;
  /** Null: known to have no process. Undefined: not known. */
  readonly pid?: number | null | undefined;
  /** Null: not known. */
  readonly spawnedAt: Instant | null;
  /** Last sign of life; null: none yet. */
  readonly lastHeartbeatAt: Instant | null;
}

const LAUNCHING = new Set(['starting', 'spawning', 'pending']);
const ACTIVE = new Set(['working', 'in_progress', 'running', 'busy']);
const MERGING = new Set(['merging', 'committing', 'pushing']);
const WAITING = new Set(['idle', 'waiting', 'paused']);
const ENDED = new Set(['dead', 'done', 'failed', 'cancelled', 'killed', 'stopped']);

/**
 * Classifies a session for display. Pure.
 *
 * Where the two tables of docs/spec/kernel.md differ the one on agent states decides: silence makes a working session STALLED
 * whatever
 * its pid; a waiting one without a process is DEAD; an unrecognised status is UNKNOWN. A session that was not launched yet
 * is SPAWNING however long its workspace takes.
 */
export function classifyVisualState(
  session: VisualInput,
  thresholds: VisualThresholds,
  now: Instant,
): VisualState {
  if (session.status === null) return 'SPAWNING';
  const status = session.status.toLowerCase();
  if (ENDED.has(status)) return 'DEAD';
  if (LAUNCHING.has(status)) {
    return silentFor(session.spawnedAt, now) >= thresholds.spawnTimeoutMs ? 'DEAD' : 'SPAWNING';
  }
  if (MERGING.has(status)) return 'MERGING';
  if (WAITING.has(status)) return session.pid === null ? 'DEAD' : 'IDLE';
  if (!ACTIVE.has(status)) return 'UNKNOWN';
  if (MERGING.has(session.activity?.toLowerCase() ?? '')) return 'MERGING';
  const lastSign = session.lastHeartbeatAt ?? session.spawnedAt;
  if (lastSign === null) return 'UNKNOWN';
  return silentFor(lastSign, now) >= thresholds.stallMs ? 'STALLED' : 'RUNNING';
}

function silentFor(since: Instant | null, now: Instant): number {
  return since === null ? 0 : Number(now) - Number(since);
}
