import { isFlaky } from '@baton/contracts';

/** How often a gate refused a tree and then passed it, with nothing changed, of the trees that it judged last. */
export interface GateSteadiness {
  judged: number;
  flaked: number;
}

/** A confirmed red of a flaky gate is wrong in at most one case of so many. */
const wronglyOneOf = 100;
const mostConfirmations = 4;

/**
 * How often a gate that was red on a candidate is asked again before its red counts: once, and of a flaky gate so often that all of its
 * runs are red by chance in one case of a hundred, from two to four times. Pure.
 * @param record Null: nothing is known of the gate.
 */
export function confirmationsOf(record: GateSteadiness | null, { above }: { above: number }): number {
  if (record === null || record.judged === 0 || !isFlaky(record, { above })) return 1;
  const rate = record.flaked / record.judged;
  if (rate >= 1) return mostConfirmations;
  // The first red is one of the runs.
  const runs = Math.ceil(Math.log(wronglyOneOf) / -Math.log(rate));
  return Math.min(Math.max(runs - 1, 2), mostConfirmations);
}
