import { checksHash, needsWorktree, tamperFlags, verifyTree, type ChangedPath } from '@baton/janitor';
import { agentEnvironment } from '@baton/spawner';
import type { CheckResult, Verdict } from '@baton/contracts';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import type { WorkerContext } from './context.ts';
import type { RepoAccess } from './repos.ts';

/** The tree that would land, and what it is made from. */
export interface CandidateTree {
  commit: string;
  tree: string;
  changes: ChangedPath[];
  /** Head of the target it was merged onto. */
  onto: string;
}

/** Name of the recorded check for weakened tests and edited gate definitions. */
export const tamperCheckName = 'tamper';
/** Name of the recorded evidence on which the agent was let land, or was not. */
const trustCheckName = 'trust';

/** Answers the stored verdict for exactly this tree and these checks, or verifies it in a worktree that no agent used. */
export async function verifyCandidate(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<{ id: string; verdict: Verdict; trust: TrustDecision }> {
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
  const judged = known
    ? { ...known, results: known.results.map((result) => ({ ...result, cached: true })) }
    : await verify(ctx, { work, repo, candidate, allowRed });
  const trust = await ctx.store.trustOf(attempt.id, 'land');
  const verdict = { ...judged, results: [...withoutTrust(judged.results), trustCheck(trust)] };
  const id = await ctx.store.saveVerdict({ holding, checksHash: hash, verdict });
  return { id, verdict, trust };
}

/** Trust is of the one who made the tree, not of the tree: it is asked anew for each attempt. */
function withoutTrust(results: readonly CheckResult[]): CheckResult[] {
  return results.filter((result) => result.name !== trustCheckName);
}

/** The evidence is kept with the verdict that it decided on. */
function trustCheck({ allowed, text }: TrustDecision): CheckResult {
  return {
    name: trustCheckName,
    kind: 'builtin',
    required: false,
    passed: allowed,
    reason: text,
    durationMs: 0,
    cached: false,
  };
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
  const checks = {
    gates: work.run.gates,
    signals: work.task.signals,
    changedPaths: candidate.changes.map((change) => change.path),
  };
  const workspace = needsWorktree(checks)
    ? await repo.verifyPool.acquire({ head: candidate.commit, owner: null })
    : null;
  try {
    const verdict = await verifyTree({
      ...checks,
      exec: ctx.exec,
      git: ctx.git,
      clock: ctx.clock,
      worktree: workspace?.path ?? null,
      repo: repo.clone.path,
      tree: candidate.tree,
      baseCommit: candidate.onto,
      candidateCommit: candidate.commit,
      changes: candidate.changes,
      attributesFile: repo.clone.attributesFile,
      allowRed,
      env: agentEnvironment({ base: ctx.operatorEnv, home: null }),
      signal: ctx.stopping,
    });
    return { ...verdict, results: [...verdict.results, await tamperCheck(ctx, { work, repo, candidate })] };
  } finally {
    // Checks run what agents wrote; whatever that planted in our clone must not run with the git that tidies up.
    const planted = await repo.clone.restore();
    if (planted.length > 0)
      ctx.log.warn('a check, or an agent beside it, changed our clone; it was put back', { planted });
    if (workspace !== null) await repo.verifyPool.release(workspace);
  }
}

/** Signs of tampering never fail a verdict by themselves: they are recorded, and under `trust: enforce` a person decides (landing.md §1). */
async function tamperCheck(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<CheckResult> {
  const started = ctx.clock.monotonicMs();
  const flags = await tamperFlags({
    git: ctx.git,
    clone: repo.clone.path,
    from: candidate.onto,
    to: candidate.commit,
    changes: candidate.changes,
    gates: work.run.gates,
    owned: work.task.files,
  });
  return {
    name: tamperCheckName,
    kind: 'builtin',
    required: false,
    passed: flags.length === 0,
    reason: flags.length === 0 ? 'nothing that judges the work was weakened' : flags.join('; '),
    durationMs: ctx.clock.monotonicMs() - started,
    cached: false,
  };
}
