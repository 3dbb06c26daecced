import { BatonError, errorText, requestsInto, type ErrorCode } from '@baton/contracts';
import { isDatabaseAway, type LandingWork } from '@baton/task-store';
import { holdRun } from '../open/hold-run.ts';
import { bringHead } from '../task/attempt-head.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import type { HeldLane } from './land-chain.ts';
import { landByRequest } from './land-by-request.ts';
import { whoLeft } from './who-left.ts';
import { landTask, type LandingOutcome, type OnCandidate } from './land-task.ts';

/** Why work is left alone for a while. */
type Pause = 'unreadable' | 'failed' | 'red target';

/** A task that lands by itself. */
export interface AloneWork {
  held: HeldLane;
  work: LandingWork;
  onCandidate: OnCandidate;
  /** Gates that were red on it together with what has landed since; absent: it is not known to be red. */
  redTogether: readonly string[] | undefined;
}

/** In ms, before the head is looked for again, what failed otherwise is tried again, and red gates of the target are asked again. */
const pauseMs: Readonly<Record<Pause, number>> = {
  unreadable: 15_000,
  failed: 2_000,
  'red target': 60_000,
};
const passing: readonly ErrorCode[] = ['INTERRUPTED', 'STALE', 'LEASE_LOST', 'CONFLICT'];

/** Whether a failure says nothing about work or target: the next tick tries again. */
export function isPassing(cause: unknown): boolean {
  return isDatabaseAway(cause) || (BatonError.is(cause) && passing.includes(cause.code));
}

/** A failure in words, for `explain`. */
export function failureText(cause: unknown): string {
  return BatonError.is(cause) ? errorText(cause) : String(cause);
}

/**
 * Lands one task, or gives it back at once where that is not possible here, with the reason: nothing waits behind work that its
 * holder can do nothing about, and others may have better luck with it. `target red`: given back, since the gates that refuse it
 * refuse the target without it, too.
 */
export async function landOrGiveBack(
  ctx: WorkerContext,
  { held, work, onCandidate, redTogether }: AloneWork,
): Promise<LandingOutcome | 'given back' | 'target red'> {
  try {
    const { clone } = await ctx.repos.open(work.run, work.repo);
    const missing = await bringHead(ctx, { repo: work.repo, clone, attempt: work.attempt });
    if (missing !== null) {
      await giveBack(ctx, { work, text: missing, pause: 'unreadable' });
      return 'given back';
    }
    if (work.missed) await ctx.store.lanes.headFound(holdingOf(work));
    const into = requestsInto(work.run.plan);
    const outcome = await (into === null
      ? landTask(ctx, { held, work, onCandidate, redTogether })
      : landByRequest(ctx, { held, work, into }));
    return outcome === 'lost' && (await hasParted(ctx, work)) ? 'parted' : outcome;
  } catch (cause) {
    if (BatonError.is(cause, 'LEASE_LOST') && (await hasParted(ctx, work))) return 'parted';
    if (ctx.stopping.aborted || isPassing(cause)) throw cause;
    const isRed = BatonError.is(cause, 'BASE_RED');
    if (isRed) await holdForTarget(ctx, { run: work.run, text: cause.message });
    await giveBack(ctx, { work, text: failureText(cause), pause: isRed ? 'red target' : 'failed' });
    return isRed ? 'target red' : 'given back';
  }
}

/** It was cancelled, or taken over, while it was verified: nothing is wrong with the lane, which takes what waits next. */
async function hasParted(ctx: WorkerContext, work: LandingWork): Promise<boolean> {
  return (await whoLeft(ctx, [work])).gone.length > 0;
}

/** Lets others have work that cannot be landed here for now. */
export async function giveBack(
  ctx: WorkerContext,
  { work, text, pause }: { work: LandingWork; text: string; pause: Pause },
): Promise<void> {
  await ctx.store.lanes.headMissed(holdingOf(work), {
    ...{ workerId: ctx.worker.id, text, pauseMs: pauseMs[pause] },
    isUnreadable: pause === 'unreadable',
  });
  ctx.log.warn('finished work cannot be landed here for now', { task: work.task.key, why: text });
}

const holdingOf = ({ attempt }: LandingWork) => ({ attemptId: attempt.id, fence: attempt.fence });

/** No agent starts on a red target. The standing run of a trigger rule continues: what it waits for is asked again each minute. */
async function holdForTarget(
  ctx: WorkerContext,
  { run, text }: { run: LandingWork['run']; text: string },
): Promise<void> {
  if (run.createdBy.startsWith('trigger:')) return;
  await holdRun(ctx, { run, reason: `BASE_RED: ${text}` });
}

/** Rejects finished work that no worker can read any more, so that it is tried again; what there is of it stays. */
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
