import { candidatesStand, type Log } from '@baton/contracts';
import { candidateRefs, dropCandidates, standCandidate } from '@baton/janitor';
import type { LandingWork, Repo } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';
import type { RepoAccess } from '../context/repos.ts';

/** States in which a candidate may still land as it is. */
const waiting: readonly string[] = ['PENDING_APPROVAL', 'DONE'];

/**
 * Lets a person look at what waits for their word with any git tool. Logs a refusal of the repository; nothing fails.
 */
export async function showCandidate(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<void> {
  if (!candidatesStand(work.run.plan)) return;
  try {
    await standCandidate({
      git: ctx.git,
      clone: repo.clone.path,
      repo: work.repo.location,
      commit: candidate.commit,
      task: work.task,
      run: work.run.slug,
    });
  } catch (cause) {
    ctx.log.warn('the repository takes no ref for work that waits for a person; `baton diff` shows it', {
      task: work.task.key,
      cause: String(cause),
    });
  }
}

/** Removes the refs of candidates whose task does not wait any more. What belongs to another store stays. */
export async function dropSettledCandidates(
  ctx: Pick<WorkerContext, 'git' | 'store'> & { log: Pick<Log, 'warn'> },
  repo: Pick<Repo, 'location'>,
): Promise<void> {
  try {
    const place = { git: ctx.git, repo: repo.location };
    const over = [];
    for (const candidate of await candidateRefs(place)) {
      const task = candidate.taskId === null ? null : await ctx.store.tasks.get(candidate.taskId);
      if (task !== null && !waiting.includes(task.status)) over.push(candidate);
    }
    await dropCandidates(place, over);
  } catch (cause) {
    ctx.log.warn('refs of candidates stay for now', { cause: String(cause) });
  }
}
