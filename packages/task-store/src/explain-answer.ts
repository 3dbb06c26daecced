import type { Explanation } from './types.ts';

/** One cause with its words. */
export type Answer = Pick<Explanation, 'cause' | 'text' | 'owner'> &
  Partial<Pick<Explanation, 'until' | 'unblock'>>;

/** What a check printed stands below the reason itself. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
