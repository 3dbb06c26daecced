import { checksHash, verifyTree } from '@baton/janitor';
import { agentEnvironment } from '@baton/spawner';
import type { Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from './context.ts';
import type { RepoAccess } from './repos.ts';

/** The tree that would land, and what it is made from. */
export interface CandidateTree {
  commit: string;
  tree: string;
  changedPaths: string[];
  /** Head of the target it was merged onto. */
  onto: string;
}

/** Answers the stored verdict for exactly this tree and these checks, or verifies it in a worktree that no agent used. */
export async function verifyCandidate(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<{ id: string; verdict: Verdict }> {
  const { run, task, attempt } = work;
  const allowRed = [...run.allowRed, ...task.allowRed];
  const hash = checksHash({
    gates: run.gates,
    signals: task.signals,
    allowRed,
    versions: { node: process.version, base: candidate.onto },
  });
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const known = await ctx.store.findVerdict({ tree: candidate.tree, checksHash: hash });
  const verdict = known
    ? { ...known, results: known.results.map((result) => ({ ...result, cached: true })) }
    : await verify(ctx, { work, repo, candidate, allowRed });
  const id = await ctx.store.saveVerdict({ holding, checksHash: hash, verdict });
  return { id, verdict };
}

async function verify(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    allowRed,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; allowRed: string[] },
): Promise<Verdict> {
  const workspace = await repo.verifyPool.acquire({
    head: candidate.commit,
    owner: null,
  });
  try {
    return await verifyTree({
      exec: ctx.exec,
      git: ctx.git,
      clock: ctx.clock,
      worktree: workspace.path,
      tree: candidate.tree,
      baseCommit: candidate.onto,
      candidateCommit: candidate.commit,
      changedPaths: candidate.changedPaths,
      gates: work.run.gates,
      signals: work.task.signals,
      allowRed,
      env: agentEnvironment({ base: ctx.operatorEnv }),
    });
  } finally {
    await repo.verifyPool.release(workspace);
  }
}
