import type { Explanation } from '@baton/task-store';

import { formatUntil } from '../terminal/format.ts';

/** The command that what a person can do ends in, or consists of. */
const command =
  /(^|: |, then )((?:BATON_LABELS=\S+ )?(?:baton|git|kill) [^`]*?)(?=, once they have ended$|$)/;

/** Why a task waits, in one line: what a person can do about it, where only a person can, else until when. Pure. */
export function waitText(
  { text, owner, until, unblock }: Pick<Explanation, 'text' | 'owner' | 'until' | 'unblock'>,
  now: Date,
): string {
  const act =
    unblock === null || owner !== 'a person' ? '' : ` To unblock: ${unblock.replace(command, '$1`$2`')}.`;
  return `${text}${until === null ? '' : ` Until ${formatUntil(until, now)}.`}${act}`;
}
