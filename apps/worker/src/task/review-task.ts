import { BatonError, type Review } from '@baton/contracts';
import { isFree, runCatalog } from '@baton/router-cost';
import type { ClaimedTask } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { StopReason } from '../context/stop-reason.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { routeReviewer } from '../open/route-batch.ts';
import { createMeter } from './meter.ts';
import { unpayable } from './spent-out.ts';
import { askReviewer, nothing, type Said } from './ask-reviewer.ts';
import { chosenReviewer, isAuthor } from '../review/choose-reviewer.ts';
import { reviewerOf, reviewQuestions, type Question } from '../review/review-questions.ts';

/** Finished work that is still held by the worker whose agent made it. */
export interface Finished {
  claimed: ClaimedTask;
  range: { startCommit: string; headCommit: string };
}

/**
 * Has the change of a task read by another agent, where its run or its signals ask for that, and writes down what was said: landing
 * goes by it (docs/spec/landing.md#reviews). The attempt is still at work then, so lease, budget and cancel hold for the
 * reviewer as for the author.
 *
 * @returns why the attempt may not be reported as done any more; null: it may
 */
export async function reviewTask(
  ctx: WorkerContext,
  batch: OpenBatch,
  { claimed, range }: Finished,
): Promise<'lease_lost' | 'cancel' | null> {
  const { run } = batch.claim;
  const { task, attempt } = claimed;
  const questions = reviewQuestions({ run, task });
  if (questions.length === 0 || range.startCommit === range.headCommit) return null;
  const reviewed = await reviewOf(ctx, batch, { claimed, range, questions });
  if (reviewed.stopped === 'lease_lost' || reviewed.stopped === 'cancel') return reviewed.stopped;
  const { answers, unanswered, by } = reviewed;
  const review: Review = {
    head: range.headCommit,
    by,
    answers,
    unanswered,
    at: ctx.clock.now().toISOString(),
  };
  if (unanswered !== null)
    ctx.log.warn('finished work could not be reviewed', { task: task.key, why: unanswered });
  try {
    await ctx.store.streams.setReview({ attemptId: attempt.id, fence: attempt.fence }, review);
    return null;
  } catch (error) {
    if (BatonError.is(error, 'LEASE_LOST')) return 'lease_lost';
    throw error;
  }
}

type Reviewed = Said & { by: Review['by']; stopped: StopReason | null };

async function reviewOf(
  ctx: WorkerContext,
  batch: OpenBatch,
  { questions, ...finished }: Finished & { questions: readonly Question[] },
): Promise<Reviewed> {
  const { claim, route: author } = batch;
  const { task } = finished.claimed;
  const named = reviewerOf(claim.run);
  if (named === null) return unasked('none', 'no reviewer is named: set `routing.reviewer` in baton.yaml');
  const route = await routeReviewer(ctx, claim, { task, reviewer: named });
  if (!route.ok)
    return unasked(
      typeof named.agent === 'string' ? named.agent : 'reviewer',
      `${route.code}: ${route.message}`,
    );
  const reviewer = chosenReviewer(route);
  const { name, model, definition } = reviewer;
  const isCommand = 'command' in definition;
  const free = isFree(runCatalog(claim.run.routing), model, { at: ctx.clock.now() });
  const why = isAuthor(reviewer, author)
    ? `${name} cannot be distinguished from its author: name another agent, or a model for both, under routing in baton.yaml`
    : unpayable(task, { name, isCommand, isFree: free });
  const by = { agent: name, model };
  if (why !== null) return { ...nothing(why), by, stopped: null };
  const said = await askedWithin(ctx, batch, { ...finished, reviewer, timeoutMs: named.timeout, questions });
  return { ...said, by };
}

const unasked = (agent: string, why: string): Reviewed => ({
  ...nothing(why),
  ...{ by: { agent, model: null }, stopped: null },
});

/** Asks as long as the attempt is ours and money is left. */
async function askedWithin(
  ctx: WorkerContext,
  batch: OpenBatch,
  asked: Omit<Parameters<typeof askReviewer>[2], 'meter' | 'signal'>,
): Promise<Said & { stopped: StopReason | null }> {
  const { task, attempt } = asked.claimed;
  const stop = new AbortController();
  let stopped: StopReason | null = null;
  const stopFor = (reason: StopReason): void => {
    stopped ??= reason;
    stop.abort();
  };
  ctx.live.set(attempt.id, stopFor);
  batch.live.onStop(stopFor);
  const { routing } = batch.claim.run;
  const meter = createMeter(
    { store: ctx.store, clock: ctx.clock, catalog: runCatalog(routing) },
    {
      ...{
        attemptId: attempt.id,
        model: asked.reviewer.model,
        maxCostMicroUsd: task.maxCostMicroUsd,
        stopFor,
      },
      isCommand: 'command' in asked.reviewer.definition,
      isFirst: false, // its author has spent some of it
    },
  );
  try {
    await meter.begin();
    const said = await askReviewer(ctx, batch, { ...asked, meter, signal: stop.signal }).catch(notAsked);
    await meter.close({ spawned: true });
    return { ...(stopped === null ? said : nothing(stopTexts[stopped])), stopped };
  } finally {
    batch.live.onStop(() => undefined);
    ctx.live.delete(attempt.id);
  }
}

const stopTexts: Readonly<Record<StopReason, string>> = {
  cancel: 'the task was cancelled',
  lease_lost: 'another worker has the task now',
  shutdown: 'the worker was stopped',
  budget: 'the budget is spent',
  max_cost: 'the max_cost of the task is used up',
  veto: 'a plugin refused it',
  abort: 'it was stopped by the abort chain',
};

/** What keeps a worktree from being made says nothing of the work. */
function notAsked(error: unknown): Said {
  if (!BatonError.is(error)) throw error;
  return nothing(`${error.code}: ${error.message}`);
}
