import type { Explanation } from '../model/explanation.ts';

/** One cause with its words. */
export type Answer = Pick<Explanation, 'cause' | 'text' | 'owner'> &
  Partial<Pick<Explanation, 'until' | 'unblock'>>;

/** The output of a check is below the reason itself. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** The first line of a text from outside, to stand within a sentence: without the stop at its end. */
export function clause(text: string): string {
  return firstLine(text)
    .trim()
    .replace(/[\s.:;,…]+$/u, '');
}

/** Ends of a try whose summary is the agent's word on its work, and not the reason of the end. */
const ownWords = new Set([
  'done',
  'rejected',
  'conflict',
  'base_rejected',
  'cancelled',
  'blocked',
  'decomposed',
]);

/**
 * Why a try ended, in its own words (one line, no stop at its end): the last reason of a rejection, else what was recorded of
 * its end, else the plain outcome.
 */
export function reasonOf(last: {
  outcome: string | null;
  summary: string | null;
  rejections: readonly string[];
}): string {
  const outcome = last.outcome ?? 'ended';
  const told = [last.rejections.at(-1), ownWords.has(outcome) ? null : last.summary];
  return told.map((text) => clause(text ?? '')).find((text) => text !== '') ?? outcome.replaceAll('_', ' ');
}

type Ended = Parameters<typeof reasonOf>[0];

/** The agent's own last words on an attempt; null: there are none, or what was recorded is why it ended. */
export function saidOf({ outcome, summary }: Pick<Ended, 'outcome' | 'summary'>): string | null {
  const isOwn = outcome === null || ownWords.has(outcome);
  return isOwn && summary !== null && summary.trim() !== '' ? summary : null;
}

/** Why an attempt did not land, in one line; null for one that landed, is open, or ended without a reason. */
export function whyEnded(attempt: Ended): string | null {
  if (attempt.outcome === null || attempt.outcome === 'done') return null;
  const reason = reasonOf(attempt);
  return reason === attempt.outcome.replaceAll('_', ' ') ? null : reason;
}
