import type { CrashCatalogue, CrashMoment, CrashPassage, CrashStrike } from '@baton/testkit';
import type { TortureServer } from './server.ts';
import type { Trial } from './trial.ts';

/** One kind of trial, and the blows that are dealt in it. */
export interface Stage {
  /** The part of the campaign that it counts for. */
  part: string;
  /** Holds one trial; without a blow it is a recording. No other trial uses the server meanwhile. */
  hold(strikes: readonly CrashStrike[], server: TortureServer): Promise<Trial>;
  /** The trials that a recording's passages give rise to, as lists of blows. */
  plan(passages: readonly CrashPassage[], seed: number): CrashStrike[][];
  /** Blows are dealt to what only repairs what an earlier blow left, too. */
  recovers: boolean;
  /** The trials of the short form, where nothing is recorded first. */
  few(seed: number): CrashStrike[][];
}

/** What makes stages. */
export interface StageOptions {
  catalogue: CrashCatalogue;
  signal?: AbortSignal | undefined;
}

/** Where a process can be struck. */
export const allMoments: readonly CrashMoment[] = ['before', 'middle', 'after'];

/** One blow of a short form. */
export const blow = (point: string, given: Partial<Omit<CrashStrike, 'point'>> = {}): CrashStrike => ({
  point,
  passage: 1,
  moment: 'after',
  victim: 'self',
  delayMs: 0,
  ...given,
});

/** Pseudo-random whole numbers below `sides` (Park–Miller); the same seed gives the same. */
export function dice(seed: number): (sides: number) => number {
  let state = ((seed * 7919 + 1) % 2_147_483_646) + 1;
  return (sides) => (state = (state * 48_271) % 2_147_483_647) % sides;
}

/** The same things in an order that the dice choose. */
export function shuffled<T>(things: readonly T[], roll: (sides: number) => number): T[] {
  return things
    .map((thing) => ({ thing, at: roll(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ thing }) => thing);
}

/** The same things, so many together; the last may be fewer. */
export function inGroups<T>(things: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(things.length / size) }, (_, at) =>
    things.slice(at * size, (at + 1) * size),
  );
}

/**
 * Blows as chains that fall in one life: the first on the process that begins it, each further one, from a later part of the
 * recording, on the one that carries on. What is passed again after a blow is counted from there.
 */
export function inChains(
  strikes: readonly CrashStrike[],
  passages: readonly CrashPassage[],
  length: number,
): CrashStrike[][] {
  const placeOf = ({ point, passage }: CrashStrike) =>
    passages.findIndex((each) => each.point === point && each.passage === passage);
  const inOrder = strikes.map((strike) => ({ strike, at: placeOf(strike) })).sort((a, b) => a.at - b.at);
  const part = Math.ceil(inOrder.length / length);
  return inOrder.slice(0, part).map((_, n) =>
    Array.from({ length }, (_, link) => inOrder.slice(link * part, (link + 1) * part)[n])
      .filter((one) => one !== undefined)
      .map(({ strike }, link, chain) => {
        const before = passages.slice(0, Math.max(0, chain[link - 1]?.at ?? 0));
        const passed = before.filter(({ point }) => point === strike.point).length;
        return { ...strike, passage: Math.max(1, strike.passage - passed) };
      }),
  );
}

/** Blows as chains of two. */
export const inPairs = (strikes: readonly CrashStrike[], passages: readonly CrashPassage[]) =>
  inChains(strikes, passages, 2);
