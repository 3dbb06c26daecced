import { distance } from 'fastest-levenshtein';

/** Shorter words are parts of too much. */
const leastLetters = 4;

/** The known name that a mistyped one was probably meant to be, if one is near enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const far = mistakes(name.toLowerCase(), candidate.toLowerCase());
    if (!best || far < best.distance) best = { name: candidate, distance: far };
  }
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  if (best && best.distance <= maxDistance) return best.name;
  return onlyPartOf(name.toLowerCase(), [...known]);
}

/** `retries` for `max_retries`: the one known name of which it is a word, or that is a word of it. */
function onlyPartOf(name: string, known: readonly string[]): string | undefined {
  const words = (text: string): string[] => text.toLowerCase().split(/[^a-z0-9]+/);
  const whole = (one: string): string => words(one).join(' ');
  const found = known.filter((one) => words(one).includes(name) || words(name).includes(whole(one)));
  return name.length < leastLetters || found.length !== 1 ? undefined : found[0];
}

/** Letters wrong, missing or too many; two that were swapped are one mistake. */
function mistakes(typed: string, known: string): number {
  const far = distance(typed, known);
  return far === 2 && sorted(typed) === sorted(known) ? 1 : far;
}

const sorted = (text: string): string => [...text].sort().join('');
