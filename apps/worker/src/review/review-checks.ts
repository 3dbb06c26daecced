import type { CheckResult, CompletionSignal, Verdict } from '@baton/contracts';
import { shortList } from '../verify/short-list.ts';
import type { LandingWork } from '@baton/task-store';
import { reviewCheckName, reviewQuestions, type Question } from './review-questions.ts';

/** What of finished work decides what its reviewer said. */
export interface ReviewedWork {
  run: Pick<LandingWork['run'], 'routing'>;
  task: Pick<LandingWork['task'], 'signals'>;
  attempt: Pick<LandingWork['attempt'], 'review' | 'startCommit' | 'headCommit'>;
}

/**
 * What a reviewer said of the change that would land, as checks: a rejection refuses it; what was not answered, what the reviewer is not
 * sure of and a review of another commit are left to a person (docs/spec/landing.md#reviews). Pure.
 */
export function reviewChecks(work: ReviewedWork): CheckResult[] {
  return reviewQuestions(work).flatMap((question, at) => checkOf(work, { question, at }) ?? []);
}

/** Whether a check is the answer of a reviewer. */
export function isReviewCheck({ name, kind }: Pick<CheckResult, 'name' | 'kind'>): boolean {
  return kind === 'builtin'
    ? name === reviewCheckName
    : kind === 'signal' && /^llm_(review|judge) /.test(name);
}

/** The signals that a tree decides: the others are a reviewer's. */
export function treeSignals(signals: readonly CompletionSignal[]): CompletionSignal[] {
  return signals.filter(({ type }) => type !== 'llm_review' && type !== 'llm_judge');
}

/** A verdict with what a reviewer said: a rejection makes a "no" of it. Pure. */
export function withReviews(verdict: Verdict, reviews: readonly CheckResult[]): Verdict {
  const own = verdict.results.filter((result) => !isReviewCheck(result));
  const refused = reviews.filter(({ required, passed }) => required && !passed);
  return {
    ...verdict,
    passed: verdict.passed && refused.length === 0,
    results: [...own, ...reviews],
    reasons: [...verdict.reasons, ...refused.map(({ name, reason }) => `${name}: ${reason}`)],
  };
}

function checkOf(
  { attempt }: ReviewedWork,
  { question: { name, minConfidence }, at }: { question: Question; at: number },
): CheckResult | null {
  const isOwn = name === reviewCheckName;
  const check = (result: { required: boolean; passed: boolean; reason: string }): CheckResult => ({
    ...{ name, kind: isOwn ? 'builtin' : 'signal', durationMs: 0, cached: false },
    ...result,
  });
  const held = (reason: string) => check({ required: false, passed: false, reason });
  if (attempt.startCommit === attempt.headCommit)
    return isOwn
      ? null
      : check({ required: true, passed: false, reason: 'nothing changed that could be reviewed' });
  const { review } = attempt;
  if (review === null)
    return held('no reviewer has read it: it was not finished by a worker that could ask one');
  if (review.head !== attempt.headCommit) return held('the reviewer has read another commit');
  const by = review.by.model === null ? review.by.agent : `${review.by.agent} (${review.by.model})`;
  if (review.unanswered !== null) return held(`no reviewer has read it: ${review.unanswered}`);
  // By its place: names of long questions are cut, so that two of them may be alike.
  const answer = review.answers[at];
  if (answer?.question !== name) return held(`${by} was not asked this`);
  const { verdict, confidence, reasons } = answer;
  const said = reasons.length === 0 ? '' : `: ${shortList(reasons)}`;
  if (verdict === 'unsure' || confidence < minConfidence)
    return held(`${by} is not sure (${verdict}, ${confidence} of ${minConfidence})${said}`);
  if (verdict === 'accept')
    return check({ required: true, passed: true, reason: `accepted by ${by}${said}` });
  return check({ required: true, passed: false, reason: `refused by ${by}: ${reasons.join(' ')}` });
}
