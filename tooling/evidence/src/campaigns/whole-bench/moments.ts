/** When the work of an attempt was finished, and when it was settled; milliseconds since 1970. */
export interface Finished {
  doneAt: number;
  /** Landed or given up; null: neither so far. */
  leftAt: number | null;
  landed: boolean;
}

/** Memory of the command at a moment. */
export interface MemorySample {
  at: number;
  bytes: number;
}

/** Most attempts whose work was finished and not settled at one moment. */
export function mostWaiting(finished: readonly Finished[]): number {
  const moments = finished
    .flatMap(({ doneAt, leftAt }) => [
      { at: doneAt, by: 1 },
      ...(leftAt === null ? [] : [{ at: leftAt, by: -1 }]),
    ])
    // What is settled in the moment in which another is finished waits no longer.
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [waiting, most] = [0, 0];
  for (const { by } of moments) most = Math.max(most, (waiting += by));
  return most;
}

/** When the tasks landed, in order. */
export const landings = (finished: readonly Finished[]): number[] =>
  finished.flatMap(({ leftAt, landed }) => (landed && leftAt !== null ? [leftAt] : [])).sort((a, b) => a - b);

/**
 * Tasks a second that landed after the landing with number `from` up to the one with number `to`, both from 0. Those that land in one
 * train land at one moment: what landed with the first of them was done before.
 */
export function landingRate(landed: readonly number[], { from, to }: { from: number; to: number }): number {
  const [first, last] = [landed[from], landed[to]];
  if (first === undefined || last === undefined || last <= first) return Number.NaN;
  return (landed.filter((at) => at > first && at <= last).length / (last - first)) * 1_000;
}

/** Greatest memory between two moments, both included; not a number without a sample there. */
export function mostMemory(
  samples: readonly MemorySample[],
  { from, to }: { from: number; to: number },
): number {
  const inside = samples.filter(({ at, bytes }) => at >= from && at <= to && Number.isFinite(bytes));
  return inside.length === 0 ? Number.NaN : Math.max(...inside.map(({ bytes }) => bytes));
}

/** What each of `many` tasks needs when so many and a single one need that much in all: what a run needs once is in neither. */
export const eachOf = (many: number, all: number, one: number): number =>
  many > 1 ? (all - one) / (many - 1) : Number.NaN;

/** The same for each kind of thing that is counted, the most frequent first; what all tasks together need once is left out. */
export function eachKind(
  many: number,
  all: ReadonlyMap<string, number>,
  one: ReadonlyMap<string, number>,
): [string, number][] {
  return [...new Set([...all.keys(), ...one.keys()])]
    .map((kind): [string, number] => [kind, eachOf(many, all.get(kind) ?? 0, one.get(kind) ?? 0)])
    .filter(([, each]) => Math.abs(each) >= 0.005)
    .sort((a, b) => b[1] - a[1]);
}

/** How many there are in all. */
export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);
