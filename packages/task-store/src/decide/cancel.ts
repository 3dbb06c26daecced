import { canMoveTo, taskMachine } from '@baton/fsm-core';
import { endAttempt } from './end-attempt.ts';
import type { MovePlan } from './move-plan.ts';
import type { BulkMove, Candidate } from './bulk-move.ts';

/** States in which somebody holds the task and stops the agent before it moves. */
const held = ['CLAIMED', 'IN_PROGRESS'];

/**
 * The move of requested cancels where no agent has to be stopped first: →CANCELLED where the state has the edge; DONE,
 * PENDING_APPROVAL and ORPHANED →FAILED for good. A landing whose intent is written is finished. Source:
 * docs/spec/store.md#cancelling.
 */
export function cancelMove(options: { taskIds: string[]; actor: string; reason?: string }): BulkMove {
  const { taskIds, actor, reason = 'cancelled' } = options;
  return { taskIds, actor, reason, move: cancelOne };
}

function cancelOne(plan: MovePlan, candidate: Candidate): boolean {
  const { task, attempt, landing } = candidate;
  const status = plan.taskStatus(candidate);
  if (!task.cancelRequested || held.includes(status) || landing) return false;
  if (canMoveTo(taskMachine, status, 'CANCELLED')) {
    plan.task(candidate, 'CANCELLED', { transitionReason: 'aborted' });
    plan.patchTask(candidate, { settled: true, notBefore: null, blockedOn: null });
    return true;
  }
  if (attempt === null || !['DONE', 'PENDING_APPROVAL', 'ORPHANED'].includes(status)) return false;
  if (status === 'PENDING_APPROVAL') plan.overrideTask(candidate, 'DONE');
  plan.task(candidate, 'FAILED', { transitionReason: 'aborted' });
  endAttempt(plan, { task, attempt }, { outcome: 'cancelled' });
  plan.patchTask(candidate, { settled: true, fence: task.fence + 1 });
  plan.patchAttempt({ task, attempt }, { fence: task.fence + 1 });
  return true;
}
