import { createHash } from 'node:crypto';

/**
 * The beginning of a text, cut at a space and marked where it is longer: a secret that is cut in two would no longer be known, and its
 * half not be redacted.
 */
export function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const piece = text.slice(0, most);
  return `${piece.slice(0, lastSpace(piece) + 1)}…`;
}

/** The end of a text, begun after a space where it is longer, for the same reason. */
export function shortEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const piece = text.slice(-most);
  return piece.slice(piece.search(/\s/) + 1);
}

/** Index of the last white space of a text; -1 without. */
export function lastSpace(text: string): number {
  for (let at = text.length - 1; at >= 0; at -= 1) if (/\s/.test(text[at] ?? '')) return at;
  return -1;
}

/** A text by which another can be known again: itself, or its hash where it is longer. */
export function shortKey(text: string, most: number): string {
  return text.length <= most ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
