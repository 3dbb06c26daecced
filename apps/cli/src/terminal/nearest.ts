import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped one was probably meant to be, if one is near enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const far = mistakes(name.toLowerCase(), candidate.toLowerCase());
    if (!best || far < best.distance) best = { name: candidate, distance: far };
  }
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  return best && best.distance <= maxDistance ? best.name : undefined;
}

/** Letters wrong, missing or too many; two that were swapped are one mistake. */
function mistakes(typed: string, known: string): number {
  const far = distance(typed, known);
  return far === 2 && sorted(typed) === sorted(known) ? 1 : far;
}

const sorted = (text: string): string => [...text].sort().join('');
