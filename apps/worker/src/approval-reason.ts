import { patchIdOf, tamperFlags } from '@baton/janitor';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from './context.ts';
import type { RepoAccess } from './repos.ts';
import type { CandidateTree } from './verify-candidate.ts';

/** Why a person must say yes before this lands, or null (landing.md §1 tamper rules, §3). */
export async function approvalReason(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<{ reason: string; patchId: string } | null> {
  if (work.approved) return null;
  const range = { git: ctx.git, clone: repo.clone.path, from: candidate.onto, to: candidate.commit };
  const flags = work.run.trust === 'enforce' ? await tamperFlags({ ...range, gates: work.run.gates }) : [];
  const reasons = [...(work.task.approval ? ['the plan asks for approval'] : []), ...flags];
  if (reasons.length === 0) return null;
  return { reason: reasons.join('; '), patchId: await patchIdOf(range) };
}
