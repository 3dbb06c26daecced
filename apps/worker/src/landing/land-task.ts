import { BatonError } from '@baton/contracts';
import type { Fact, LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { approvalReason } from './approval-reason.ts';
import { candidateOn, patchOf, withEvidence } from './candidate-of.ts';
import { showCandidate } from './candidate-refs.ts';
import { landChain, type HeldLane, type Verified } from './land-chain.ts';
import { lookEarly, redOnTarget } from './red-on-target.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';
import { standingTarget } from '../open/standing-target.ts';
import { verifyCandidate } from './verify-candidate.ts';

/**
 * How one landing ended. `waits`: nothing was decided, e.g. the target is checked out with changes · `requested`: it waits for somebody to
 * merge it at its code host · `parted`: it was cancelled, or has another holder, since it was taken.
 */
export type LandingOutcome = 'landed' | 'rejected' | 'approval' | 'waits' | 'requested' | 'lost' | 'parted';

/** What is done with verified work. `again`: the target was moved since it was made. */
export type Land = (verified: Verified, repo: RepoAccess) => Promise<LandingOutcome | 'again'>;

/** Told of a candidate before it is judged, where nothing else is verified beside it. */
export type OnCandidate = (candidate: CandidateTree) => Promise<void>;

/** A task that lands by itself. */
interface TaskLanding {
  held: HeldLane;
  work: LandingWork;
  onCandidate?: OnCandidate;
  /** Gates that were red on it together with what has landed since; absent: it is not known to be red. */
  redTogether?: readonly string[] | undefined;
  /** What is done in place of intents and moves with work that changes something. */
  land?: Land;
}

/**
 * One task from verdict to closed: merge, verify, approve, intend, move the refs, confirm (docs/spec/landing.md#protocol).
 * @throws BASE_RED when the gates that refuse the work refuse the target without it, too
 */
export async function landTask(
  ctx: WorkerContext,
  { held, work, onCandidate, redTogether, land }: TaskLanding,
): Promise<LandingOutcome> {
  const repo = await ctx.repos.open(work.run, work.repo);
  for (;;) {
    const { run, task } = work;
    const standing = await standingTarget(ctx, { run, repo: work.repo, clone: repo.clone, tasks: [task] });
    if (!standing.ok) {
      await ctx.store.lanes.noteWait(held.lane, { cause: 'target_moved', text: standing.text });
      return 'waits';
    }
    const made = await candidateOn(ctx, { work, repo, onto: standing.head });
    if (made.kind === 'conflict')
      return reject(ctx, work, {
        kind: 'conflict',
        reasons: [conflictReason(made.files)],
      });
    await using early = redTogether && lookEarly(ctx, { work, repo, onto: made.candidate.onto });
    if (early === undefined) await onCandidate?.(made.candidate);
    const judged = await verifyCandidate(ctx, { work, repo, candidate: made.candidate, redTogether });
    const { id: verdictId, verdict, candidate } = judged;
    if (!verdict.passed) {
      const elsewhere = await redOnTarget(ctx, { work, repo, onto: candidate.onto, verdict, early });
      if (elsewhere !== null) throw new BatonError('BASE_RED', elsewhere);
      return reject(ctx, work, {
        kind: 'rejected',
        reasons: rejectionReasons(verdict),
      });
    }
    const patchId = work.approved ? await patchOf(ctx, { repo, candidate }) : '';
    const wanted = approvalReason(work, { verdict, trust: judged.trust, patchId });
    if (wanted !== null) return askApproval(ctx, { work, repo, candidate, reason: wanted });
    const told = await withEvidence(ctx, { work, repo, candidate, verdict });
    const verified = { work, candidate: told, verdictId };
    const veto = await vetoOf(ctx, verified);
    if (veto !== null)
      return reject(ctx, work, {
        kind: 'rejected',
        reasons: [veto],
        transitionReason: 'stop_hook_blocked',
      });
    const moved =
      land !== undefined && told.commit !== told.onto
        ? await land(verified, repo)
        : await landChain(ctx, { held, repo, chain: [verified] });
    if (moved !== 'again') return moved;
  }
}

/** What a plugin has against a landing; null: nothing. */
export async function vetoOf(ctx: WorkerContext, { work, candidate }: Verified): Promise<string | null> {
  const vetoed = await ctx.plugins?.intercept('landing:beforeMerge', {
    runId: work.run.id,
    taskId: work.task.id,
    target: work.run.target,
    commit: candidate.commit,
    tree: candidate.tree,
  });
  return vetoed && !vetoed.ok ? `Plugin ${vetoed.by} refused the landing: ${vetoed.reason}` : null;
}

/** Git can name no file, such as for a folder that was moved to several places. */
function conflictReason(files: readonly string[]): string {
  return `Merging onto the target conflicts${files.length === 0 ? '' : ` in ${files.join(', ')}`}.`;
}

/** Refuses finished work. */
export async function reject(
  ctx: WorkerContext,
  work: LandingWork,
  why: Pick<Extract<Fact, { fact: 'rejected' }>, 'kind' | 'reasons' | 'transitionReason' | 'denied'>,
): Promise<LandingOutcome> {
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  const outcome = await ctx.store.claims.record({ fact: 'rejected', holding, ...why }, { actor: 'janitor' });
  return outcome.ok ? 'rejected' : 'lost';
}

async function askApproval(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    reason,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; reason: string },
): Promise<LandingOutcome> {
  const patchId = await patchOf(ctx, { repo, candidate });
  await showCandidate(ctx, { work, repo, candidate });
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  const headCommit = work.attempt.headCommit ?? '';
  const outcome = await ctx.store.claims.record(
    { fact: 'approval_wanted', holding, reason, headCommit, patchId },
    { actor: 'janitor' },
  );
  return outcome.ok ? 'approval' : 'lost';
}
