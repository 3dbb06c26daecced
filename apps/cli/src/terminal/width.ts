import { createRequire } from 'node:module';
import type * as sliceAnsi from 'slice-ansi';
import type * as stringWidth from 'string-width';

/**
 * Texts of which each character takes one column: Latin letters and the signs of Baton's own rows. Measuring any other needs
 * tables of Unicode, which take 50 ms to load: a sixth of what `baton status` takes in all.
 */
const oneColumnEach =
  /^[\x20-\x7e\xa1-\xac\xae-\u02af\u2010-\u2027\u2500-\u257f\u2800-\u28ff→⇄⊘■▶◇○◌●◐◔✔✘]*$/;

const load = createRequire(import.meta.url);
const unicode = {
  width: (text: string) => (load('string-width') as typeof stringWidth).default(text),
  cut: (text: string, columns: number) => (load('slice-ansi') as typeof sliceAnsi).default(text, 0, columns),
};

/** Columns that a text without colours takes on a terminal: two for a wide character. */
export function widthOf(text: string): number {
  return oneColumnEach.test(text) ? text.length : unicode.width(text);
}

/** A text without colours in at most so many columns, with `…` where something was cut off. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  return `${oneColumnEach.test(text) ? text.slice(0, width - 1) : unicode.cut(text, width - 1)}…`;
}
