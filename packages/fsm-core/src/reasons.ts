/** Why a move happened, where one of the canonical reasons fits. Source: docs/spec/kernel.md#transition-reasons-binding. */
export const TRANSITION_REASONS = [
  'completed',
  'aborted',
  'retry',
  'prompt_too_long',
  'max_output_tokens',
  'max_turns',
  'provider_413',
  'provider_529',
  'compaction_failed',
  'stop_hook_blocked',
  'permission_denied',
  'sibling_aborted',
  'orphan_recovered',
] as const;

/** One of {@link TRANSITION_REASONS}. */
export type TransitionReason = (typeof TRANSITION_REASONS)[number];

/** How an agent ended abnormally. Source: docs/spec/kernel.md#abort-reasons-binding. */
export const ABORT_REASONS = [
  'user_interrupt',
  'shutdown_signal',
  'timeout',
  'oom',
  'permission_denied',
  'provider_error',
  'bash_error',
  'sibling_aborted',
  'parent_aborted',
  'compact_failure',
  'unknown',
] as const;

/** One of {@link ABORT_REASONS}. */
export type AbortReason = (typeof ABORT_REASONS)[number];

/** What made an execution state change. Source: docs/spec/kernel.md#execution-triggers-binding. */
export const EXECUTION_TRIGGERS = [
  'spawn',
  'connected',
  'disconnected',
  'prompt_received',
  'result_received',
  'context_cleared',
  'user_terminated',
  'process_exited',
  'process_crashed',
  'restart',
  'reconciliation',
] as const;

/** One of {@link EXECUTION_TRIGGERS}. */
export type ExecutionTrigger = (typeof EXECUTION_TRIGGERS)[number];

/** How a process ended, as the operating system says it. */
export interface ProcessEnd {
  /** Exit code, or null when a signal ended the process or nothing is known. */
  readonly exitCode: number | null;
  /** Name of the ending signal, such as SIGKILL, or null. */
  readonly signal: string | null;
  /** Set when we ended the process ourselves: then this is the reason, whatever the code says. */
  readonly endedByUs?: AbortReason | undefined;
}

const BY_EXIT_CODE = new Map<number, AbortReason>([
  [124, 'timeout'],
  [126, 'permission_denied'],
  [130, 'user_interrupt'],
  [137, 'oom'],
  [143, 'shutdown_signal'],
]);

const BY_SIGNAL = new Map<string, AbortReason>([
  ['SIGINT', 'user_interrupt'],
  ['SIGKILL', 'oom'],
  ['SIGTERM', 'shutdown_signal'],
]);

/**
 * Classifies the end of a process by its exit code or signal, never by words in its output.
 *
 * A kill of ours is what we say it is: a SIGKILL that we sent is never `oom`. Exit 127 (missing binary) is `unknown`;
 * the spawner reports it as what it is before it comes here.
 *
 * @returns null for a clean exit (code 0 that we did not force), else the reason. Source: docs/spec/kernel.md#abort-reasons-binding
 * Values (124, 126, 137, SIGINT, SIGTERM), with the shell's 128 + n for the same signals.
 */
export function abortReasonOf(end: ProcessEnd): AbortReason | null {
  if (end.endedByUs !== undefined) return end.endedByUs;
  if (end.signal !== null) return BY_SIGNAL.get(end.signal) ?? 'unknown';
  if (end.exitCode === 0) return null;
  if (end.exitCode === null) return 'unknown';
  return BY_EXIT_CODE.get(end.exitCode) ?? 'unknown';
}
