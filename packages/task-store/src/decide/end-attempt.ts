import { canMoveTo, taskMachine, type TransitionReason } from '@baton/fsm-core';
import type { AttemptPatch } from './change.ts';
import { decideRetry, type PolicyNote, type RetryContext } from './retry-policy.ts';
import type { Failure } from './failure.ts';
import type { MovePlan } from './move-plan.ts';
import type { Item } from './situation.ts';

/** Turn states in which no turn is open. */
const closedTurns = ['IDLE', 'REAPED'];

/** Ends an attempt: its turn goes →FAILED→REAPED, lease and reservation go. */
export function endAttempt(plan: MovePlan, item: Item, patch: AttemptPatch & { outcome: string }): void {
  if (!closedTurns.includes(plan.turnStatus(item))) plan.turn(item, 'task_failed', 'agent_reaped');
  plan.patchAttempt(item, { workerId: null, leaseExpiresAt: null, openTools: 0, endedAt: 'now', ...patch });
}

/** The agent leaves this attempt: busy→idle, or suspended→idle in the middle of a compaction. */
export function leaveAttempt(plan: MovePlan, item: Item): void {
  const session = plan.session();
  if (session === null || session.currentAttemptId !== item.attempt.id) return;
  if (session.executionState === 'busy') plan.execution('idle', 'result_received');
  else if (session.executionState === 'suspended') plan.execution('idle', 'context_cleared');
}

/** How a task continues after a try that ended. */
export interface Ending extends RetryContext {
  failure: Failure;
  /** FAILED first (then OPEN while tries are left); OPEN: straight back. */
  via: 'FAILED' | 'OPEN';
  transitionReason?: TransitionReason | undefined;
  /** Policy forbids that it is tried again without a person's word: why. */
  denied?: string | undefined;
}

/**
 * Moves the task by the retry policy: back to OPEN while tries are left, else FAILED for good. A task whose cancellation was
 * requested is cancelled where its state has the edge; without one it fails for good.
 */
export function moveOn(plan: MovePlan, item: Item, ending: Ending): { counted: boolean } {
  if (item.task.cancelRequested) {
    const cancellable = canMoveTo(taskMachine, plan.taskStatus(item), 'CANCELLED');
    plan.task(item, cancellable ? 'CANCELLED' : 'FAILED', { transitionReason: 'aborted' });
    plan.patchTask(item, { settled: true });
    return { counted: false };
  }
  const decision = decideRetry(item.task, ending.failure, ending);
  plan.patchTask(item, decision.patch);
  const note = noteOf(decision.note, ending.denied);
  if (decision.exhausted || ending.denied !== undefined) {
    plan.task(item, 'FAILED', note);
    plan.patchTask(item, { settled: true, notBefore: null });
    return decision;
  }
  const transitionReason = ending.transitionReason ?? 'retry';
  if (ending.via === 'FAILED') plan.task(item, 'FAILED');
  plan.task(item, 'OPEN', { transitionReason, ...note });
  return decision;
}

function noteOf(
  note: PolicyNote | undefined,
  denied: string | undefined,
): { metadata?: { policy: PolicyNote } } {
  if (note?.code === undefined && denied !== undefined)
    return { metadata: { policy: { code: 'TRANSITION_DENIED', text: denied } } };
  return note === undefined ? {} : { metadata: { policy: note } };
}
