import { printable } from '@baton/contracts';
import { saidOf, type Attempt } from '@baton/task-store';

/** What an agent asked at the end of its last words on an attempt that is over: their last question. Null: it asked nothing. */
export function questionOf(attempt: Pick<Attempt, 'outcome' | 'summary'> | undefined): string | null {
  if (attempt === undefined || attempt.outcome === null || attempt.outcome === 'done') return null;
  const said = saidOf(attempt)?.trim();
  if (said === undefined || !/[?？]["”')\]]*$/u.test(said)) return null;
  const sentence = said.split(/(?<=[.!?。！？])\s+|\n+/u).at(-1) ?? said;
  return printable(sentence).trim();
}
