import type { Explanation } from './types.ts';

/** One cause with its words. */
export type Answer = Pick<Explanation, 'cause' | 'text' | 'owner'> &
  Partial<Pick<Explanation, 'until' | 'unblock'>>;

/** What a check printed stands below the reason itself. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** The first line of a text from outside, to stand within a sentence: without the stop at its end. */
export function clause(text: string): string {
  return firstLine(text)
    .trim()
    .replace(/[\s.:;,…]+$/u, '');
}

/** Why a try ended, in its own words: what verification refused, what was recorded, or the plain outcome. */
export function reasonOf(last: {
  outcome: string | null;
  summary: string | null;
  rejections: readonly string[];
}): string {
  const outcome = (last.outcome ?? 'ended').replaceAll('_', ' ');
  return (
    [last.rejections.at(-1), last.summary, outcome].map((text) => clause(text ?? '')).find(Boolean) ?? outcome
  );
}
