import {
  gitEnded,
  landingLockFiles,
  landingRefOf,
  moveTarget,
  publishCandidate,
  settleIntent,
  type LaneRef,
} from '@baton/janitor';
import type { Lane, LandingWork, OpenIntent, Repo } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { noteHead } from '../context/target-head.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';
import { whoLeft } from './who-left.ts';
import { checkoutWait, tellBehind } from './checkout-wait.ts';

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

/**
 * How the move of a target ended. `again`: somebody else moved it first. `waits`: nothing was decided, e.g. it is checked out with changes.
 * `parted`: some of the chain was cancelled or has another holder, and nothing was written; the lane is still held.
 */
export type ChainOutcome = 'landed' | 'waits' | 'lost' | 'again' | 'parted';

/** Verified work, as it lands. */
export interface Verified {
  work: LandingWork;
  candidate: CandidateTree;
  verdictId: string;
}

/** Candidates of one run, each made on the one before; the tree of the last is what their verdicts are about. Never empty. */
export type Chain = readonly [Verified, ...Verified[]];

/** What a chain lands with. */
interface Landing {
  held: HeldLane;
  repo: RepoAccess;
  chain: Chain;
}

/**
 * Lands a chain: intents for all, one move of the target to the last commit, then each task is closed
 * (docs/spec/landing.md#protocol). A crash in between lands all of it or nothing.
 * @throws GIT_FAILED
 */
export async function landChain(ctx: WorkerContext, landing: Landing): Promise<ChainOutcome> {
  const { held, repo, chain } = landing;
  const [{ work, candidate: first }] = chain;
  const last = chain.at(-1) ?? chain[0];
  const landingRef = await publishCandidate({
    git: ctx.git,
    clone: repo.clone.path,
    repo: work.repo.location,
    commit: last.candidate.commit,
    landingId: last.work.attempt.id,
  });
  if (landingRef !== null) held.settledRefs.delete(landingRef); // a second go at a lost race
  const landingIds = await intend(ctx, landing);
  if (landingIds === null) {
    ctx.landingRefs.mayBeLeft = true;
    const { gone } = await whoLeft(
      ctx,
      chain.map((each) => each.work),
    );
    return gone.length > 0 ? 'parted' : 'lost';
  }
  const moved = await moveTarget({
    git: ctx.git,
    clone: repo.clone.path,
    repo: work.repo.location,
    target: work.run.target,
    stateDir: ctx.stateDir,
    from: first.onto,
    to: last.candidate.commit,
    lane: held.ref,
    landingId: landingIds.at(-1) ?? '',
  }).catch(async (cause: unknown) => {
    // A remote may take a push after its answer was lost: its intents are settled when the next holder has moved the lane ref on.
    if (landingRef !== null) await leaveMove(ctx, { ...landing, landingIds, cause });
    throw cause;
  });
  if (moved.kind === 'moved') {
    held.ref = moved.lane;
    await tellBehind(ctx, { lane: held.lane, behind: moved.behind, from: first.onto });
    noteHead(repo.clone, { target: work.run.target, commit: last.candidate.commit });
    for (const id of landingIds) await ctx.store.lanes.confirm(id, { actor: actorOf(ctx) });
    noteRefs(landing);
    for (const each of chain)
      if (each.work.attempt.headPlace?.at === 'repository') held.landedTasks.add(each.work.task.id);
    return 'landed';
  }
  // It may have moved before the lane did: its next holder settles that.
  if (moved.kind === 'lane_lost') {
    ctx.landingRefs.mayBeLeft = true;
    return 'lost';
  }
  for (const id of landingIds) await ctx.store.lanes.abandon(id, moved.kind);
  noteRefs(landing);
  if (moved.kind === 'lost_race') return 'again';
  await ctx.store.lanes.noteWait(held.lane, checkoutWait(work.run.target, moved));
  return 'waits';
}

/** The refs of landings that are settled. An earlier go may have ended with another one of the chain. */
function noteRefs({ held, chain }: Landing): void {
  for (const { work } of chain) {
    const ref = landingRefOf({ repo: work.repo.location, landingId: work.attempt.id });
    if (ref !== null) held.settledRefs.add(ref);
  }
}

async function intend(ctx: WorkerContext, landing: Landing): Promise<string[] | null> {
  const { chain } = landing;
  return ctx.store.lanes.writeIntents({
    lane: landing.held.lane,
    members: chain.map((each) => ({
      holding: { attemptId: each.work.attempt.id, fence: each.work.attempt.fence },
      verdictId: each.verdictId,
      candidateCommit: each.candidate.commit,
    })),
    fromCommit: chain[0].candidate.onto,
    tree: (chain.at(-1) ?? chain[0]).candidate.tree,
    holder: await holderOf(ctx, landing),
  });
}

/** Who moves the refs, and which locks a crash of theirs may leave. */
async function holderOf(
  ctx: WorkerContext,
  { held, repo, chain: [{ work }] }: Landing,
): Promise<OpenIntent['holder']> {
  const { id: workerId, host, pid, pidStarted } = ctx.worker;
  const lockFiles = await landingLockFiles({
    git: ctx.git,
    repo: work.repo.location,
    target: work.run.target,
    laneRef: held.ref.ref,
    clone: repo.clone.path,
  });
  return { workerId, host, pid, pidStarted, lockFiles };
}

/** A git that ended by itself left no lock: its intents are settled at once, so that no lock of another git is taken for one of ours. */
async function leaveMove(
  ctx: WorkerContext,
  { repo, chain, landingIds, cause }: Landing & { landingIds: readonly string[]; cause: unknown },
): Promise<void> {
  if (!gitEnded(cause)) {
    for (const id of landingIds) ctx.cutMoves.add(id);
    return;
  }
  const [{ work, candidate: first }] = chain;
  const last = chain.at(-1) ?? chain[0];
  const place = { git: ctx.git, clone: repo.clone.path, repo: work.repo.location, target: work.run.target };
  const landed = await settleIntent({
    ...place,
    intent: {
      fromCommit: first.onto,
      candidateCommit: last.candidate.commit,
      holder: { lockFiles: [] },
    },
    holderDead: true,
  });
  if (landed) return;
  for (const id of landingIds) await ctx.store.lanes.abandon(id, 'git refused to move the refs');
}
