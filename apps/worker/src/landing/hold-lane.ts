import { landedRefs, openLaneRef, removeDeadLocks, settleIntent, type TargetPlace } from '@baton/janitor';
import { BatonError } from '@baton/contracts';
import { isAlive, lockHolder } from '@baton/spawner';
import { isGone } from '../context/gone-worker.ts';
import type { Lane, OpenIntent } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { dropSettledCandidates } from './candidate-refs.ts';
import { tellBehind } from './checkout-wait.ts';
import type { HeldLane } from './land-chain.ts';
import { dropClosedHeads } from './published-heads.ts';

/** Advances the lane ref to this holder's epoch, then settles what an earlier holder left open (docs/spec/landing.md#lanes). */
export async function holdLane(ctx: WorkerContext, lane: Lane): Promise<HeldLane | null> {
  const repo = await ctx.store.runs.repo(lane.repoId);
  if (repo === null) return null;
  const place = {
    git: ctx.git,
    clone: await ctx.repos.clonePath(repo),
    repo: repo.location,
    target: lane.target,
  };
  const intents = await ctx.store.lanes.openIntents(lane);
  for (const intent of intents) {
    if (await isHolderDead(ctx, intent))
      await removeDeadLocks({ ...place, lockHolder, lockFiles: leftLocks(ctx, intent) });
  }
  const opened = await openLaneRef({
    ...place,
    storeId: ctx.storeId,
    epoch: lane.epoch,
    holder: ctx.worker.id,
  });
  if (!opened.ok) {
    // The holder of the lane in the store has its newest epoch, so the store is what is old: the next turn takes a newer one.
    const isOld = await ctx.store.lanes.catchUp(lane, opened.currentEpoch);
    const why = isOld
      ? 'this database is older than the lane in the repository, and caught up with it'
      : null;
    ctx.log.warn(why ?? 'another holder has a newer epoch of this lane', {
      ...{ target: lane.target, epoch: lane.epoch, newer: opened.currentEpoch },
    });
    return null;
  }
  const decidedRuns = new Set<string>();
  const landed = await landedOf(ctx, { place, intents, lane });
  for (const intent of intents) {
    if (landed.has(intent.landingId))
      for (const runId of await confirmOrTell(ctx, { intent, target: lane.target })) decidedRuns.add(runId);
    else await ctx.store.lanes.abandon(intent.landingId, 'its holder ended before the refs moved');
  }
  if (!ctx.tidiedLanes.has(lane.id) || intents.length > 0) {
    await dropClosedHeads(ctx, repo);
    await dropSettledCandidates(ctx, repo);
  }
  return {
    ...{ lane, ref: opened.lane, location: repo.location, repo, landedTasks: new Set<string>() },
    decidedRuns,
    settledRefs: new Set(await leftRefs(ctx, { repo: repo.location, lane, isSettled: intents.length === 0 })),
  };
}

/**
 * Ids of the intents that landed. The refs moved to the last of a train at once, so it is that one to which a checkout may have been
 * brought half-way.
 */
async function landedOf(
  ctx: WorkerContext,
  options: { place: TargetPlace & { target: string }; intents: readonly OpenIntent[]; lane: Lane },
): Promise<Set<string>> {
  const { place, intents, lane } = options;
  const landed = new Set<string>();
  const last = intents.at(-1);
  for (const intent of intents.toReversed()) {
    const { landingId, fromCommit, candidateCommit } = intent;
    const isLanded = await settleIntent({
      ...place,
      lockHolder,
      intent: { fromCommit, candidateCommit, holder: { lockFiles: leftLocks(ctx, intent) } },
      holderDead: intent === last && (await isHolderDead(ctx, intent)),
      onBehind: (behind) => tellBehind(ctx, { lane, behind, from: fromCommit }),
    });
    if (isLanded) landed.add(landingId);
  }
  return landed;
}

/**
 * Closes the task of a landing. One that is not DONE any more cannot be closed: that is logged, and the lane is free for what waits
 * behind it.
 */
async function confirmOrTell(
  ctx: WorkerContext,
  { intent: { landingId, taskId }, target }: { intent: OpenIntent; target: string },
): Promise<string[]> {
  try {
    return await confirm(ctx, landingId);
  } catch (cause) {
    const task = BatonError.is(cause, 'CONFLICT') ? await ctx.store.tasks.get(taskId) : null;
    if (task === null || task.status === 'DONE') throw cause;
    const { key, status } = task;
    ctx.log.error('a commit is on its target although its task has ended otherwise', {
      target,
      task: key,
      status,
    });
    await ctx.store.lanes.abandon(landingId, 'it landed, and its task had ended otherwise');
    return [];
  }
}

/** Closes a task whose landing an earlier holder made. Gives the run that it was of: it may have been the last that this waited for. */
async function confirm(ctx: WorkerContext, landingId: string): Promise<string[]> {
  const { taskId } = await ctx.store.lanes.confirm(landingId, { actor: actorOf(ctx) });
  const task = await ctx.store.tasks.get(taskId);
  return task === null ? [] : [task.runId];
}

/** Only a process of this host can be known to be dead; our own earlier intent counts as settled by us. */
async function isHolderDead(ctx: WorkerContext, { holder }: OpenIntent): Promise<boolean> {
  if (holder.host !== ctx.worker.host) return false;
  if (holder.workerId === ctx.worker.id) return true;
  const known = (await ctx.store.workers.list()).find(({ id }) => id === holder.workerId);
  return known === undefined ? !isAlive(holder) : isGone(ctx, known);
}

/**
 * Locks that a holder may have left. An intent of this process may be open only because the database went away after its git had ended,
 * or before that began: what lies at the places it lists is then the lock of another git.
 */
function leftLocks(ctx: WorkerContext, { landingId, holder }: OpenIntent): readonly string[] {
  return holder.workerId === ctx.worker.id && !ctx.cutMoves.has(landingId) ? [] : holder.lockFiles;
}

/** Refs that an earlier process, or a landing broken off, had no time to remove; else we remove our own. */
async function leftRefs(
  ctx: WorkerContext,
  { repo, lane, isSettled }: { repo: string; lane: Lane; isSettled: boolean },
): Promise<string[]> {
  if (isSettled && ctx.tidiedLanes.has(lane.id)) return [];
  ctx.tidiedLanes.add(lane.id);
  return landedRefs({ git: ctx.git, repo, target: lane.target });
}
