import type { Review } from '@baton/contracts';
import { expect, it } from 'vitest';
import { isReviewCheck, reviewChecks, withReviews, type ReviewedWork } from './review-checks.ts';

const answer = { question: 'review', verdict: 'accept', confidence: 0.9, reasons: [] as string[] } as const;
const said = (more: Partial<Review> = {}): Review => ({
  ...{ head: 'head', by: { agent: 'codex', model: 'gpt' }, answers: [answer], unanswered: null },
  ...{ measured: { author: true, reviewer: true }, at: '2026-11-26T00:00:00.000Z' },
  ...more,
});
const work = (review: Review | null, more: Partial<ReviewedWork> = {}): ReviewedWork => ({
  run: { routing: { reviewer: { agent: 'codex', timeout: 1000 } } },
  task: { signals: [] },
  attempt: { review, startCommit: 'start', headCommit: 'head' },
  ...more,
});
const judge = { type: 'llm_judge', criteria: 'is it short?', min_confidence: 0.8 } as const;

it('lets land what the reviewer accepts, and names it', () => {
  expect(reviewChecks(work(said()))).toMatchObject([
    { name: 'review', kind: 'builtin', required: true, passed: true, reason: 'accepted by codex (gpt)' },
  ]);
});

it('refuses what the reviewer rejects, with its reasons for the next attempt', () => {
  const no = said({
    answers: [{ ...answer, verdict: 'reject', reasons: ['a.ts:1 is wrong.', 'b.ts:2, too.'] }],
  });
  const checks = reviewChecks(work(no));
  expect(checks).toMatchObject([{ required: true, passed: false }]);
  const yes = { tree: 't', passed: true, checks: 'gates', results: [], reasons: [], durationMs: 1 } as const;
  expect(withReviews({ ...yes, results: [], reasons: [] }, checks)).toMatchObject({
    passed: false,
    reasons: ['review: refused by codex (gpt): a.ts:1 is wrong. b.ts:2, too.'],
  });
});

it.each([
  ['no reviewer has read it', null],
  ['there is no answer', said({ answers: [], unanswered: 'codex is not logged in' })],
  ['another commit was read', said({ head: 'earlier' })],
  ['the reviewer is unsure', said({ answers: [{ ...answer, verdict: 'unsure' }] })],
  ['a yes is too weak', said({ answers: [{ ...answer, confidence: 0.4 }] })],
  [
    'a no is too weak',
    said({ answers: [{ ...answer, verdict: 'reject', confidence: 0.4, reasons: ['?'] }] }),
  ],
  ['the question is another', said({ answers: [{ ...answer, question: 'llm_review x' }] })],
])('leaves it to a person where %s', (_, review) => {
  const checks = reviewChecks(work(review));
  expect(checks).toMatchObject([{ name: 'review', required: false, passed: false }]);
  expect(checks.every(isReviewCheck)).toBe(true);
});

it('asks as much confidence of a judge as the signal says', () => {
  const judged = (confidence: number) =>
    reviewChecks(
      work(said({ answers: [answer, { ...answer, question: 'llm_judge is it short?', confidence }] }), {
        task: { signals: [judge] },
      }),
    )[1];
  expect(judged(0.79)).toMatchObject({ name: 'llm_judge is it short?', kind: 'signal', required: false });
  expect(judged(0.8)).toMatchObject({ required: true, passed: true });
});

it('gives each of two long questions that begin alike its own answer', () => {
  const long = (end: string) => ({ type: 'llm_review', prompt: `${'x'.repeat(300)} ${end}` }) as const;
  const signals = [long('one'), long('two')];
  const name = `llm_review ${'x'.repeat(189)}`;
  const yes = { ...answer, question: name };
  const no = { ...yes, verdict: 'reject' as const, reasons: ['No.'] };
  const checks = reviewChecks(work(said({ answers: [answer, yes, no] }), { task: { signals } }));
  expect(checks.map(({ passed }) => passed)).toEqual([true, true, false]);
});

it('leaves a gate alone that is called as a review is', () => {
  const gate = { name: 'review', kind: 'gate', required: true, passed: false } as const;
  const result = { ...gate, reason: 'ended with 1', output: 'no', durationMs: 1, cached: false };
  expect(isReviewCheck(gate)).toBe(false);
  const no = { tree: 't', passed: false, checks: 'gates', durationMs: 1 } as const;
  const verdict = { ...no, results: [result], reasons: ['gate review: ended with 1.'] };
  expect(withReviews(verdict, [])).toEqual(verdict);
});

it('asks nothing where there is no reviewer, and only of tasks with such signals where the repository says so', () => {
  expect(reviewChecks(work(null, { run: { routing: null } }))).toEqual([]);
  const run = { routing: { reviewer: { agent: 'codex', timeout: 1000, tasks: 'signals' } } };
  expect(reviewChecks(work(null, { run }))).toEqual([]);
  expect(reviewChecks(work(null, { run, task: { signals: [judge] } }))).toHaveLength(2);
});

it('does not ask about a change that is none, and refuses it where a signal wants a review', () => {
  const attempt = { review: null, startCommit: 'head', headCommit: 'head' };
  expect(reviewChecks(work(null, { attempt }))).toEqual([]);
  expect(reviewChecks(work(null, { attempt, task: { signals: [judge] } }))).toMatchObject([
    { required: true, passed: false, reason: 'nothing changed that could be reviewed' },
  ]);
});
