import type { Explanation } from '@baton/task-store';

import type { Output } from '../terminal/output.ts';

type Told = Pick<Explanation, 'text' | 'unblock'>;

/** An explanation whose commands are to be typed where this one was. */
export const explainedHere = (out: Output, { root, ...told }: Explanation): Explanation => ({
  ...typedHere(out, told),
  root: root === null ? null : typedHere(out, root),
});

/** The same for a part of it. */
export const typedHere = <T extends Told>(out: Output, told: T): T => ({
  ...told,
  text: out.hints(told.text),
  unblock: told.unblock === null ? null : out.offer(told.unblock),
});
