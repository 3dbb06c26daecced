import { dropLandingRefs } from '@baton/janitor';
import { startTicker } from '@baton/service';
import type { Lane } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { holdLane } from './hold-lane.ts';
import type { HeldLane } from './land-chain.ts';
import { createAheadSlot } from './ahead-slot.ts';
import { landWorks, noteTrain, takeNext } from './land-train.ts';
import { failureText, isPassing } from './land-work.ts';
import { dropHeads } from './published-heads.ts';

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
 * Removes what was kept for landings, then settles their runs, in this order: no worker looks for what an ended run
 * left. One command removes all of it, so it waits until work of another run comes, or none.
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
  const isOurs = (): boolean => !isLost() && !ctx.stopping.aborted;
  const ahead = createAheadSlot((besides) => takeNext(ctx, { held, besides }));
  try {
    while (isOurs()) {
      const taken = ahead.works();
      const works = taken.length > 0 ? taken : await takeNext(ctx, { held });
      const [first] = works;
      if (first === undefined) break;
      if (held.decidedRuns.size > 0 && !held.decidedRuns.has(first.run.id)) await finishRuns(ctx, held);
      const { outcome, isGreen } = await landWorks(ctx, { held, works, ahead, isOurs, onChange });
      if (outcome === 'lost' || outcome === 'waits') break;
      noteTrain(ctx, { held, length: works.length, isGreen });
    }
  } finally {
    await ahead.drop();
  }
}
