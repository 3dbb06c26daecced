import {
  buildCandidate,
  gitEnded,
  landingLockFiles,
  moveTarget,
  patchIdOf,
  publishCandidate,
  rewordCandidate,
  settleIntent,
  type LaneRef,
} from '@baton/janitor';
import { BatonError, type Verdict } from '@baton/contracts';
import type { Fact, Lane, LandingWork, Repo } from '@baton/task-store';
import { agentSubjects, commitText } from '../task/commit-text.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { approvalReason } from './approval-reason.ts';
import { showCandidate } from './candidate-refs.ts';
import { checkoutWait } from './checkout-wait.ts';
import { redOnTarget } from './red-on-target.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';
import { standingTarget } from '../open/standing-target.ts';
import { noteHead } from '../context/target-head.ts';
import { verifyCandidate } from './verify-candidate.ts';

/** A lane held by this worker: the store's lease and the ref that fences the target. */
export interface HeldLane {
  lane: Lane;
  ref: LaneRef;
  /** The target's repository. */
  location: string;
  /** Refs of landings that are settled, to be removed together. */
  settledRefs: Set<string>;
  /** Runs of which something was decided, to be settled when those refs are gone. */
  decidedRuns: Set<string>;
  repo: Repo;
  /** Tasks that landed while it was held and whose heads may lie at the repository itself: removed there all at once. */
  landedTasks: Set<string>;
}

/** How one landing ended. `waits`: nothing was decided, e.g. the target is checked out with changes. */
export type LandingOutcome = 'landed' | 'rejected' | 'approval' | 'waits' | 'lost';

/**
 * One task from verdict to closed: merge, verify, approve, intend, move the refs, confirm (docs/spec/landing.md#protocol).
 * @throws BASE_RED when the gates that refuse the work refuse the target without it, too
 */
export async function landTask(
  ctx: WorkerContext,
  { held, work }: { held: HeldLane; work: LandingWork },
): Promise<LandingOutcome> {
  const repo = await ctx.repos.open(work.run, work.repo);
  for (;;) {
    const made = await candidateFor(ctx, { work, repo });
    if (made.kind === 'moved') {
      await ctx.store.lanes.noteWait(held.lane, { cause: 'target_moved', text: made.text });
      return 'waits';
    }
    if (made.kind === 'conflict')
      return reject(ctx, work, {
        kind: 'conflict',
        reasons: [`Merging onto the target conflicts in ${made.files.join(', ')}.`],
      });
    const judged = await verifyCandidate(ctx, { work, repo, candidate: made.candidate });
    const { id: verdictId, verdict, candidate } = judged;
    if (!verdict.passed) {
      const elsewhere = await redOnTarget(ctx, { work, repo, onto: candidate.onto, verdict });
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
    const moved = await moveRefs(ctx, { held, work, repo, candidate: told, verdictId });
    if (moved !== 'again') return moved;
  }
}

type Made =
  | { kind: 'conflict'; files: string[] }
  | { kind: 'moved'; text: string }
  | { kind: 'clean'; candidate: CandidateTree };

async function candidateFor(
  ctx: WorkerContext,
  { work, repo }: { work: LandingWork; repo: RepoAccess },
): Promise<Made> {
  const { attempt, run } = work;
  const standing = await standingTarget(ctx, { run, repo: work.repo, clone: repo.clone });
  if (!standing.ok) return { kind: 'moved', text: standing.text };
  const onto = standing.head;
  const made = await buildCandidate({
    git: ctx.git,
    clone: repo.clone.path,
    targetHead: onto,
    startCommit: attempt.startCommit ?? onto,
    headCommit: attempt.headCommit ?? onto,
    ...commitText(work, { subjects: [], verdict: null }),
    at: ctx.clock.now(),
  });
  if (made.kind === 'conflict') return made;
  return {
    kind: 'clean',
    candidate: { commit: made.commit, tree: made.tree, changes: made.changes, onto },
  };
}

/** The candidate as it lands: its text says what it passed. */
async function withEvidence(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    verdict,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; verdict: Verdict },
): Promise<CandidateTree> {
  if (candidate.commit === candidate.onto) return candidate; // nothing lands
  const subjects = await agentSubjects(ctx, { clone: repo.clone.path, attempt: work.attempt });
  const commit = await rewordCandidate({
    ...{ git: ctx.git, clone: repo.clone.path, tree: candidate.tree, onto: candidate.onto },
    ...commitText(work, { subjects, verdict }),
    at: ctx.clock.now(),
  });
  return { ...candidate, commit };
}

async function moveRefs(
  ctx: WorkerContext,
  {
    held,
    work,
    repo,
    candidate,
    verdictId,
  }: { held: HeldLane; work: LandingWork; repo: RepoAccess; candidate: CandidateTree; verdictId: string },
): Promise<LandingOutcome | 'again'> {
  const vetoed = await ctx.plugins?.intercept('landing:beforeMerge', {
    runId: work.run.id,
    taskId: work.task.id,
    target: work.run.target,
    commit: candidate.commit,
    tree: candidate.tree,
  });
  if (vetoed && !vetoed.ok)
    return reject(ctx, work, {
      kind: 'rejected',
      reasons: [`Plugin ${vetoed.by} refused the landing: ${vetoed.reason}`],
      transitionReason: 'stop_hook_blocked',
    });
  const landingRef = await publishCandidate({
    git: ctx.git,
    clone: repo.clone.path,
    repo: work.repo.location,
    commit: candidate.commit,
    landingId: work.attempt.id,
  });
  if (landingRef !== null) held.settledRefs.delete(landingRef); // a second go at a lost race
  const landingId = await ctx.store.lanes.writeIntent({
    lane: held.lane,
    holding: { attemptId: work.attempt.id, fence: work.attempt.fence },
    verdictId,
    fromCommit: candidate.onto,
    candidateCommit: candidate.commit,
    tree: candidate.tree,
    holder: {
      workerId: ctx.worker.id,
      host: ctx.worker.host,
      pid: ctx.worker.pid,
      pidStarted: ctx.worker.pidStarted,
      lockFiles: await landingLockFiles({
        git: ctx.git,
        repo: work.repo.location,
        target: work.run.target,
        laneRef: held.ref.ref,
        clone: repo.clone.path,
      }),
    },
  });
  if (landingId === null) return 'lost';
  const moved = await moveTarget({
    git: ctx.git,
    clone: repo.clone.path,
    repo: work.repo.location,
    target: work.run.target,
    stateDir: ctx.stateDir,
    from: candidate.onto,
    to: candidate.commit,
    lane: held.ref,
    landingId,
  }).catch(async (cause: unknown) => {
    if (gitEnded(cause)) await giveUpMove(ctx, { work, repo, candidate, landingId });
    else ctx.cutMoves.add(landingId);
    throw cause;
  });
  const settled = (): void => void (landingRef === null || held.settledRefs.add(landingRef));
  if (moved.kind === 'moved') {
    held.ref = moved.lane;
    noteHead(repo.clone, { target: work.run.target, commit: candidate.commit });
    await ctx.store.lanes.confirm(landingId, { actor: actorOf(ctx) });
    settled();
    if (work.attempt.headPlace?.at === 'repository') held.landedTasks.add(work.task.id);
    return 'landed';
  }
  await ctx.store.lanes.abandon(landingId, moved.kind);
  settled();
  if (moved.kind === 'lost_race') return 'again';
  if (moved.kind === 'lane_lost') return 'lost';
  await ctx.store.lanes.noteWait(held.lane, checkoutWait(work.run.target, moved));
  return 'waits';
}

/** A git that ended by itself left no lock: its intent is settled at once, so that no lock of another git is taken for one of ours. */
async function giveUpMove(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    landingId,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; landingId: string },
): Promise<void> {
  const landed = await settleIntent({
    ...{ git: ctx.git, clone: repo.clone.path, repo: work.repo.location, target: work.run.target },
    intent: {
      fromCommit: candidate.onto,
      candidateCommit: candidate.commit,
      holder: { lockFiles: [] },
    },
    holderDead: true,
  });
  if (!landed) await ctx.store.lanes.abandon(landingId, 'git refused to move the refs');
}

async function reject(
  ctx: WorkerContext,
  work: LandingWork,
  why: Pick<Extract<Fact, { fact: 'rejected' }>, 'kind' | 'reasons' | 'transitionReason'>,
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

/** The change that a "yes" is about. */
async function patchOf(
  ctx: WorkerContext,
  { repo, candidate }: { repo: RepoAccess; candidate: CandidateTree },
): Promise<string> {
  return patchIdOf({ git: ctx.git, clone: repo.clone.path, from: candidate.onto, to: candidate.commit });
}
