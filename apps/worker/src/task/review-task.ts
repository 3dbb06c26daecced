import { BatonError, errorText, type Review, type Reviewer } from '@baton/contracts';
import { isFree, runCatalog, type Route } from '@baton/router-cost';
import type { ClaimedTask } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { effortOf } from '../open/agent-settings.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { routeReviewer } from '../open/route-batch.ts';
import { chosenReviewer, isAuthor, reviewerTask, type ChosenReviewer } from '../review/choose-reviewer.ts';
import { reviewerOf, reviewQuestions, type Question } from '../review/review-questions.ts';
import type { AgentResult } from './agent-result.ts';
import { askWithin, stopTexts, type Heard } from './ask-within.ts';
import { nothing } from './ask-reviewer.ts';
import { unpayable } from './spent-out.ts';

/** Finished work that is still held by the worker whose agent made it. */
export interface FinishedWork {
  claimed: ClaimedTask;
  range: { startCommit: string; headCommit: string };
  /** How its author ended. */
  ended: Pick<AgentResult, 'stopped' | 'measured'>;
}

/** What becomes of the attempt after its review: `stop` says why it may not be reported as done, if so. */
export interface Reviewed {
  stop?: Pick<AgentResult, 'stopped' | 'abortReason'>;
}

/**
 * Has the change of a task read by another agent, where its run or its signals ask for that, and writes down what was said: landing
 * goes by it (docs/spec/landing.md#reviews). The attempt is still at work then, so lease, budget and cancel hold for the
 * reviewer as for the author.
 *
 * @returns null: there is nothing to review, or its author was stopped
 */
export async function reviewTask(
  ctx: WorkerContext,
  batch: OpenBatch,
  work: FinishedWork,
): Promise<Reviewed | null> {
  const { claimed, range, ended } = work;
  const { task, attempt } = claimed;
  const questions = reviewQuestions({ run: batch.claim.run, task });
  if (questions.length === 0 || range.startCommit === range.headCommit) return null;
  const spent = ended.stopped === 'budget' || ended.stopped === 'max_cost' ? ended.stopped : null;
  if (ended.stopped !== null && spent === null) return null;
  const said =
    spent === null ? await reviewOf(ctx, batch, { work, questions }) : unasked('none', stopTexts[spent]);
  const { stop } = said;
  if (stop !== null && stop.stopped !== 'budget' && stop.stopped !== 'max_cost') return { stop };
  const { by, answers, unanswered } = said;
  const measured = { author: ended.measured, reviewer: said.measured };
  const at = ctx.clock.now().toISOString();
  const review: Review = { head: range.headCommit, by, answers, unanswered, measured, at };
  if (unanswered !== null)
    ctx.log.warn('finished work could not be reviewed', { task: task.key, why: unanswered });
  try {
    await ctx.store.streams.setReview({ attemptId: attempt.id, fence: attempt.fence }, review);
    return {};
  } catch (error) {
    if (BatonError.is(error, 'LEASE_LOST')) return { stop: { stopped: 'lease_lost', abortReason: null } };
    throw error;
  }
}

type Said = Heard & { by: Review['by'] };

async function reviewOf(
  ctx: WorkerContext,
  batch: OpenBatch,
  { work, questions }: { work: FinishedWork; questions: readonly Question[] },
): Promise<Said> {
  const { claim } = batch;
  const { task } = work.claimed;
  const named = reviewerOf(claim.run);
  if (named === null) return unasked('none', 'no reviewer is named: set `routing.reviewer` in baton.yaml');
  const route = await routeReviewer(ctx, claim, { task, reviewer: named });
  if (!route.ok) return unasked(typeof named.agent === 'string' ? named.agent : 'reviewer', errorText(route));
  const reviewer = reviewerFor(batch, { route, named, task });
  const why = whyNot(ctx, batch, { work, reviewer });
  const by = { agent: reviewer.name, model: reviewer.model };
  if (why !== null) return { ...unasked(reviewer.name, why), by };
  const { claimed, range } = work;
  const asked = { claimed, range, reviewer, timeoutMs: named.timeout, questions };
  return { ...(await askWithin(ctx, batch, asked)), by };
}

function reviewerFor(
  { claim }: OpenBatch,
  { route, named, task }: { route: Route; named: Reviewer; task: ClaimedTask['task'] },
): ChosenReviewer {
  const chosen = chosenReviewer(route);
  const { definition } = chosen;
  return { ...chosen, effort: effortOf(claim.run, { task: reviewerTask(task, named), route, definition }) };
}

/** Why a reviewer is not even asked. */
function whyNot(
  ctx: WorkerContext,
  batch: OpenBatch,
  { work: { claimed, ended }, reviewer }: { work: FinishedWork; reviewer: ChosenReviewer },
): string | null {
  const { claim, route: author } = batch;
  const { name, model, definition } = reviewer;
  if (isAuthor(reviewer, author))
    return `${name} cannot be distinguished from its author: name another agent, or a model for both, under routing in baton.yaml`;
  const isCommand = 'command' in definition;
  const free = isFree(runCatalog(claim.run.routing), model, { at: ctx.clock.now() });
  const isBounded = claim.run.budgetMicroUsd !== null || claimed.task.maxCostMicroUsd !== null;
  if (!ended.measured && isBounded && !isCommand && !free)
    return 'what its author spent is not known, so nothing is left for a reviewer that costs something';
  return unpayable(claimed.task, { name, isCommand, isFree: free });
}

const unasked = (agent: string, why: string): Said => ({
  ...nothing(why),
  ...{ by: { agent, model: null }, stop: null, measured: true },
});
