import type { StartTaskOptions } from '@baton/spawner';
import type { Attempt, ClaimedTask } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { bringHead } from './attempt-head.ts';

/** Work of an earlier attempt that a task starts with. */
export type EarlierWork = Required<Pick<StartTaskOptions, 'continueFrom' | 'conflicted'>>;

/** After so many conflicts the work is laid with both sides: one may be chance, and work from the new head is cleaner. */
const conflictsBefore = 2;

/**
 * What a task starts with: rejected work, or work that conflicted again. It may lie elsewhere; where it cannot be read the task starts on
 * the head alone. A command gets no conflicts: it does the same again, and knows nothing of markers.
 */
export async function earlierWork(
  ctx: WorkerContext,
  batch: OpenBatch,
  { task, continueFrom }: ClaimedTask,
): Promise<EarlierWork> {
  const mayResolve =
    continueFrom === null && batch.agent.adapter !== 'command' && task.conflicts >= conflictsBefore;
  if (continueFrom === null && !mayResolve) return { continueFrom, conflicted: null };
  const attempts = await ctx.store.tasks.attempts(task.id);
  const conflicted = mayResolve ? conflictedAgain(attempts) : null;
  const wanted = (continueFrom ?? conflicted)?.headCommit;
  const attempt = attempts.find(({ headCommit }) => headCommit === wanted);
  if (attempt === undefined) return { continueFrom, conflicted: null };
  const why = await bringHead(ctx, { repo: batch.claim.repo, clone: batch.repo.clone, attempt });
  if (why !== null) ctx.log.warn('earlier work cannot be continued', { task: task.key, why });
  return { continueFrom, conflicted };
}

/** Ends that say something of an attempt's work, or of what it started with. */
const ofWork = ['conflict', 'rejected', 'base_rejected', 'agent_failed', 'crashed', 'timeout'];

/** The commits of the newest attempt, if it conflicted and was not the first to do so: an agent that fails over both sides gets none again. */
export function conflictedAgain(
  attempts: readonly Pick<Attempt, 'outcome' | 'startCommit' | 'headCommit'>[],
): EarlierWork['conflicted'] {
  const tried = attempts.filter(({ outcome }) => outcome !== null && ofWork.includes(outcome));
  const conflicts = tried.filter(({ outcome }) => outcome === 'conflict');
  const last = tried.at(-1);
  if (conflicts.length < conflictsBefore || last?.outcome !== 'conflict') return null;
  const { startCommit, headCommit } = last;
  return startCommit === null || headCommit === null ? null : { startCommit, headCommit };
}
