import {
  dropLandingRefs,
  landedRefs,
  landingRefOf,
  openLaneRef,
  removeDeadLocks,
  settleIntent,
} from '@baton/janitor';
import { isAlive } from '@baton/spawner';
import type { Lane, OpenIntent } from '@baton/task-store';
import { dropSettledCandidates } from './candidate-refs.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import type { HeldLane } from './land-task.ts';
import { failureText, isPassing, landOrGiveBack } from './land-work.ts';
import { dropClosedHeads, dropHeads } from './published-heads.ts';
import { startTicker } from '@baton/service';

const slowestMs = 5_000;

/**
 * Lands whatever is DONE on the lanes that this worker can hold.
 *
 * @param onChange Called after each task that was decided or cannot land for now: claims may wait for that.
 */
export async function landDone(ctx: WorkerContext, onChange: () => void): Promise<void> {
  const lanes = await ctx.store.lanes.open({
    host: ctx.worker.host,
    workerId: ctx.worker.id,
    ...(ctx.runId === null ? {} : { runId: ctx.runId }),
  });
  let away: { cause: unknown } | null = null;
  for (const { repoId, target } of lanes) {
    if (ctx.stopping.aborted) break;
    const name = `${repoId} ${target}`;
    if ((ctx.failedLanes.get(name)?.againAt ?? 0) > ctx.clock.now().getTime()) continue;
    const lane = await ctx.store.lanes.acquire({
      repoId,
      target,
      workerId: ctx.worker.id,
      leaseMs: ctx.timing.leaseMs,
    });
    if (lane === null) continue;
    try {
      await workLane(ctx, { lane, onChange });
      ctx.failedLanes.delete(name);
    } catch (cause) {
      // The other lanes have nothing to do with it.
      ctx.landingRefs.mayBeLeft = true;
      if (isPassing(cause)) away ??= { cause };
      else if (!ctx.stopping.aborted) await noteFailure(ctx, { name, lane, cause });
    } finally {
      await ctx.store.lanes.release(lane);
    }
  }
  if (away !== null) throw away.cause;
}

/**
 * Keeps why landing on a lane failed: it is tried again at growing distances, and other lanes as ever. A note that cannot be
 * written, since the database is away, hides neither the failure nor the other lanes.
 */
async function noteFailure(
  ctx: WorkerContext,
  { name, lane, cause }: { name: string; lane: Lane; cause: unknown },
): Promise<void> {
  const text = failureText(cause);
  const before = ctx.failedLanes.get(name);
  if (before?.text !== text)
    ctx.log.warn('landing on a branch failed; it will be tried again', { target: lane.target, cause: text });
  const times = (before?.times ?? 0) + 1;
  const waitMs = Math.min(slowestMs, ctx.timing.pollMs * 2 ** times);
  ctx.failedLanes.set(name, { text, times, againAt: ctx.clock.now().getTime() + waitMs });
  const wait = { cause: 'landing_failed' as const, text };
  await ctx.store.lanes.noteWait(lane, wait).catch((away: unknown) => {
    ctx.log.warn('that a landing failed could not be noted', { target: lane.target, cause: String(away) });
  });
}

async function workLane(
  ctx: WorkerContext,
  { lane, onChange }: { lane: Lane; onChange: () => void },
): Promise<void> {
  let lost = false;
  const renewal = startTicker('renewing a lane', {
    everyMs: ctx.timing.renewMs,
    log: ctx.log,
    run: async () => {
      lost ||= !(await ctx.store.lanes.renew(lane, ctx.timing.leaseMs));
    },
  });
  try {
    await landAll(ctx, { lane, isLost: () => lost, onChange });
  } finally {
    await renewal.stop();
  }
}

async function landAll(
  ctx: WorkerContext,
  { lane, ...loop }: { lane: Lane; isLost: () => boolean; onChange: () => void },
): Promise<void> {
  const held = await holdLane(ctx, lane);
  if (held === null) return;
  try {
    await landWaiting(ctx, { held, ...loop });
  } finally {
    await dropHeads(ctx, held);
    await finishRuns(ctx, held);
  }
}

/**
 * Removes what was kept for landings, then settles their runs, in this order: nobody looks for what a run left once it has ended. One
 * command removes all of it, so it waits until work of another run comes, or none.
 */
async function finishRuns(ctx: WorkerContext, held: HeldLane): Promise<void> {
  const { settledRefs, decidedRuns } = held;
  await dropLandingRefs({ git: ctx.git, repo: held.location, refs: [...settledRefs] });
  settledRefs.clear();
  for (const runId of decidedRuns) await ctx.store.runs.settle(runId);
  decidedRuns.clear();
}

async function landWaiting(
  ctx: WorkerContext,
  { held, isLost, onChange }: { held: HeldLane; isLost: () => boolean; onChange: () => void },
): Promise<void> {
  while (!isLost() && !ctx.stopping.aborted) {
    const work = await ctx.store.lanes.takeForLanding(held.lane, {
      host: ctx.worker.host,
      ...(ctx.runId === null ? {} : { runId: ctx.runId }),
    });
    if (work === null) break;
    if (held.decidedRuns.size > 0 && !held.decidedRuns.has(work.run.id)) await finishRuns(ctx, held);
    const outcome = await landOrGiveBack(ctx, { held, work }).finally(onChange);
    if (outcome === 'given back') continue;
    if (work.approvedPatchId !== null) await dropSettledCandidates(ctx, work.repo);
    // An earlier go may have published it and then lost the database.
    const ref = landingRefOf({ repo: held.location, landingId: work.attempt.id });
    if (outcome === 'rejected' && ref !== null) held.settledRefs.add(ref);
    held.decidedRuns.add(work.run.id);
    if (outcome === 'lost' || outcome === 'waits') break;
  }
}

/** Advances the lane ref to this holder's epoch, then settles what an earlier holder left open (docs/spec/landing.md#lanes). */
async function holdLane(ctx: WorkerContext, lane: Lane): Promise<HeldLane | null> {
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
    if (isKnownDead(ctx, intent)) await removeDeadLocks({ ...place, lockFiles: leftLocks(ctx, intent) });
  }
  const opened = await openLaneRef({
    ...place,
    storeId: ctx.storeId,
    epoch: lane.epoch,
    holder: ctx.worker.id,
  });
  if (!opened.ok) {
    ctx.log.warn('another holder has a newer epoch of this lane', { target: lane.target, epoch: lane.epoch });
    return null;
  }
  const decidedRuns = new Set<string>();
  for (const intent of intents) {
    const { fromCommit, candidateCommit } = intent;
    const landed = await settleIntent({
      ...place,
      intent: { fromCommit, candidateCommit, holder: { lockFiles: leftLocks(ctx, intent) } },
      holderDead: isKnownDead(ctx, intent),
    });
    if (landed) for (const runId of await confirm(ctx, intent.landingId)) decidedRuns.add(runId);
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

/** Closes a task whose landing an earlier holder made. Gives the run that it was of: it may have been the last that this waited for. */
async function confirm(ctx: WorkerContext, landingId: string): Promise<string[]> {
  const { taskId } = await ctx.store.lanes.confirm(landingId, { actor: actorOf(ctx) });
  const task = await ctx.store.tasks.get(taskId);
  return task === null ? [] : [task.runId];
}

/** Only a process of this host can be known to be dead; our own earlier intent counts as settled by us. */
function isKnownDead(ctx: WorkerContext, { holder }: OpenIntent): boolean {
  if (holder.host !== ctx.worker.host) return false;
  return holder.workerId === ctx.worker.id || !isAlive({ pid: holder.pid, pidStarted: holder.pidStarted });
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
