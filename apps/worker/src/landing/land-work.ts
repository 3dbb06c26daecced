import { BatonError, errorText, type ErrorCode } from '@baton/contracts';
import { isDatabaseAway, type LandingWork } from '@baton/task-store';
import { holdRun } from '../open/hold-run.ts';
import { bringHead } from '../task/attempt-head.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { landTask, type HeldLane, type LandingOutcome } from './land-task.ts';

/** Before we look again for a head that we could not read, and before we try again what failed otherwise. */
const unreadablePauseMs = 15_000;
const failedPauseMs = 2_000;
/** Before gates that are red on the target as well are asked again. */
const redPauseMs = 60_000;
const passing: readonly ErrorCode[] = ['INTERRUPTED', 'STALE', 'LEASE_LOST', 'CONFLICT'];

/** Whether a failure says nothing about work or target: the next tick goes on. */
export function isPassing(cause: unknown): boolean {
  return isDatabaseAway(cause) || (BatonError.is(cause) && passing.includes(cause.code));
}

/** A failure in words, for `explain`. */
export function failureText(cause: unknown): string {
  return BatonError.is(cause) ? errorText(cause) : String(cause);
}

/**
 * Lands one task, or gives it back at once where that is not possible here, with the reason: nothing waits behind work that its
 * holder can do nothing about, and others may have better luck with it.
 */
export async function landOrGiveBack(
  ctx: WorkerContext,
  { held, work }: { held: HeldLane; work: LandingWork },
): Promise<LandingOutcome | 'given back'> {
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  const giveBack = async (text: string, { pauseMs, isUnreadable }: Pause) => {
    await ctx.store.lanes.headMissed(holding, { workerId: ctx.worker.id, text, pauseMs, isUnreadable });
    ctx.log.warn('finished work cannot be landed here for now', { task: work.task.key, why: text });
    return 'given back' as const;
  };
  try {
    const { clone } = await ctx.repos.open(work.run, work.repo);
    const missing = await bringHead(ctx, { repo: work.repo, clone, attempt: work.attempt });
    if (missing !== null) return await giveBack(missing, { pauseMs: unreadablePauseMs, isUnreadable: true });
    if (work.missed) await ctx.store.lanes.headFound(holding);
    return await landTask(ctx, { held, work });
  } catch (cause) {
    if (ctx.stopping.aborted || isPassing(cause)) throw cause;
    const isRed = BatonError.is(cause, 'BASE_RED');
    if (isRed) await holdForTarget(ctx, { run: work.run, text: cause.message });
    return giveBack(failureText(cause), {
      pauseMs: isRed ? redPauseMs : failedPauseMs,
      isUnreadable: false,
    });
  }
}

/** How long work is left alone, and whether it was its head that could not be read. */
interface Pause {
  pauseMs: number;
  isUnreadable: boolean;
}

/** No agent starts on a red target. The standing run of a trigger rule continues: what it waits for is asked again each minute. */
async function holdForTarget(
  ctx: WorkerContext,
  { run, text }: { run: LandingWork['run']; text: string },
): Promise<void> {
  if (run.createdBy.startsWith('trigger:')) return;
  await holdRun(ctx, { run, reason: `BASE_RED: ${text}` });
}

/** Finished work that nobody can read any more is tried again; what there is of it stays where it lies. */
export async function settleLostHeads(ctx: WorkerContext): Promise<void> {
  const lost = await ctx.store.lanes.takeLostHeads({
    workerId: ctx.worker.id,
    host: ctx.worker.host,
    leaseMs: ctx.timing.leaseMs,
    waitMs: ctx.timing.headWaitMs,
    ...(ctx.runId === null ? {} : { runId: ctx.runId }),
  });
  for (const { run, attempt, text } of lost) {
    const reason = reasonOf(attempt, text);
    ctx.log.warn('finished work is tried again', { attempt: attempt.id, reason });
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    await ctx.store.claims.record(
      { fact: 'rejected', holding, kind: 'head_lost', reasons: [reason] },
      { actor: actorOf(ctx) },
    );
    await ctx.store.runs.settle(run.id);
  }
}

function reasonOf({ headCommit, headPlace: place }: LandingWork['attempt'], text: string | null): string {
  const where = place?.at === 'clone' ? ` It lies in ${place.path} on host ${place.host}.` : '';
  return `No worker could read the finished work (head ${headCommit?.slice(0, 9) ?? '?'}): ${text ?? 'its host is silent'}.${where}`;
}
