import type { AbortReason, Finished } from './agent-adapter.ts';
import type { ProcessEnd } from './supervise/agent-process.ts';

type Outcome = Pick<Finished, 'outcome' | 'abortReason'>;

const byCode: Readonly<Record<number, Outcome>> = {
  0: { outcome: 'done', abortReason: null },
  124: { outcome: 'timeout', abortReason: 'timeout' },
  126: { outcome: 'failed', abortReason: 'permission_denied' },
  127: { outcome: 'missing_binary', abortReason: null },
  130: { outcome: 'crashed', abortReason: 'user_interrupt' },
  137: { outcome: 'crashed', abortReason: 'oom' },
  143: { outcome: 'crashed', abortReason: 'shutdown_signal' },
};

const bySignal: Partial<Record<NodeJS.Signals, AbortReason>> = {
  SIGINT: 'user_interrupt',
  SIGTERM: 'shutdown_signal',
  SIGKILL: 'oom',
};

/**
 * What a process's end says when it was not we who ended it: by exit code and signal only, never by what it printed.
 * Source: agents.md §2; lifecycle seed, AbortReason.
 */
export function classifyExit({ code, signal }: ProcessEnd): Outcome {
  if (signal !== null) return { outcome: 'crashed', abortReason: bySignal[signal] ?? 'unknown' };
  return byCode[code ?? 1] ?? { outcome: 'failed', abortReason: null };
}

/** What our own ending of an agent says: a SIGKILL of ours is never "out of memory". */
export function classifyEnding(reason: AbortReason): Outcome {
  return { outcome: reason === 'timeout' ? 'timeout' : 'cancelled', abortReason: reason };
}

/** What a failed start says. */
export function classifySpawnError(error: string): Outcome & { exitCode: number | null } {
  if (error === 'ENOENT') return { outcome: 'missing_binary', abortReason: null, exitCode: 127 };
  if (error === 'EACCES') return { outcome: 'spawn_failed', abortReason: 'permission_denied', exitCode: 126 };
  return { outcome: 'spawn_failed', abortReason: null, exitCode: null };
}
