import type { StartTaskOptions } from '@baton/spawner';
import type { Attempt, ClaimedTask } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { bringHead } from './attempt-head.ts';

/** Work of an earlier attempt that a task starts with. */
export type EarlierWork = Pick<StartTaskOptions, 'continueFrom' | 'conflicted'>;

/** The task starts on the head alone. */
export const noEarlierWork: EarlierWork = { continueFrom: null, conflicted: null };

/** After so many conflicts the work is laid with both sides: one may be chance, and work from the new head is cleaner. */
const conflictsBefore = 2;

/**
 * What a task starts with: rejected work, or work that conflicted again and again. It may lie elsewhere; where it cannot be read the task
 * starts on the head alone. A command gets no conflicts: it does the same again, and knows nothing of markers.
 */
export async function earlierWork(
  ctx: WorkerContext,
  batch: OpenBatch,
  claimed: ClaimedTask,
): Promise<EarlierWork> {
  const { task, continueFrom } = claimed;
  const mayResolve = batch.agent.adapter !== 'command' && task.conflicts >= conflictsBefore;
  if (continueFrom === null && !mayResolve) return noEarlierWork;
  const attempts = await ctx.store.tasks.attempts(task.id);
  const conflicted = continueFrom === null ? lastConflict(attempts) : null;
  const wanted = continueFrom ?? conflicted;
  const attempt = attempts.find(({ headCommit }) => headCommit === wanted?.headCommit);
  if (wanted === null || attempt === undefined) return { continueFrom, conflicted: null };
  const why = await bringHead(ctx, { repo: batch.claim.repo, clone: batch.repo.clone, attempt });
  if (why !== null) ctx.log.warn('earlier work cannot be continued', { task: task.key, why });
  return { continueFrom, conflicted };
}

/** The commits of the newest attempt that conflicted. */
function lastConflict(attempts: readonly Attempt[]): NonNullable<EarlierWork['conflicted']> | null {
  const last = attempts.findLast(({ outcome }) => outcome === 'conflict');
  if (last === undefined || last.startCommit === null || last.headCommit === null) return null;
  return { startCommit: last.startCommit, headCommit: last.headCommit };
}
