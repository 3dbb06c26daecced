import { abortReasonOf } from '@baton/fsm-core';
import type { AbortReason, Finished } from '../agent/adapter.ts';
import type { ChildExit } from '../process/open-child.ts';

type Outcome = Pick<Finished, 'outcome' | 'abortReason'>;

/** Ends that an agent chose for itself, or that came to it from outside. */
const crashes: readonly AbortReason[] = ['user_interrupt', 'oom', 'shutdown_signal'];

/**
 * What a process's end says when it was not we who ended it: by exit code and signal only, never by what it printed; the
 * kernel's mapping, and 127 for a program that is missing. Source: docs/spec/agents.md#classification-of-ends.
 */
export function classifyExit({ code, signal }: ChildExit): Outcome {
  if (code === 127) return { outcome: 'missing_binary', abortReason: null };
  const reason = abortReasonOf({ exitCode: code ?? 1, signal });
  if (reason === null) return { outcome: 'done', abortReason: null };
  if (signal !== null || crashes.includes(reason)) return { outcome: 'crashed', abortReason: reason };
  if (reason === 'timeout') return { outcome: 'timeout', abortReason: reason };
  return { outcome: 'failed', abortReason: reason === 'permission_denied' ? reason : null };
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
