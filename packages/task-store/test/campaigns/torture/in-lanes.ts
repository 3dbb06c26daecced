import { planStrikes, tellStrike, type CrashPassage, type CrashStrike } from '@baton/testkit';
import type { Trial } from './trial.ts';

/** What a number of trials came to. */
export interface Trials {
  trials: number;
  /** Blows that really fell. */
  kills: number;
  violations: string[];
  /** Points that were passed by anybody. */
  reached: string[];
  /** Blows that fell, as `point moment victim`. */
  struck: string[];
  /** Blows that nobody came by: the process took another way this time. */
  missed: string[];
}

/** Adds trials up. */
export function sumOf(trials: readonly Trial[]): Trials {
  const passages = trials.flatMap((trial) => trial.passages);
  const fallen = (trial: Trial) => trial.passages.filter(({ struck }) => struck !== undefined);
  return {
    trials: trials.length,
    kills: trials.reduce((sum, { kills }) => sum + kills, 0),
    violations: trials.flatMap(({ violations }) => violations),
    reached: [...new Set(passages.map(({ point }) => point))].sort(),
    struck: [
      ...new Set(
        trials.flatMap((trial) =>
          fallen(trial).map(({ point, struck }) => {
            const victim = trial.strikes.find((strike) => strike.point === point)?.victim ?? 'self';
            return `${point} ${struck ?? ''} ${victim}`;
          }),
        ),
      ),
    ].sort(),
    missed: trials.flatMap((trial) =>
      trial.strikes.length === 0 || trial.kills > 0 ? [] : [trial.strikes.map(tellStrike).join(', ')],
    ),
  };
}

/** How trials are worked off. */
export interface LaneOptions {
  lanes: number;
  say(line: string): void;
  /** Asked before each trial: no time is left. */
  isOver(): boolean;
}

/** Holds one trial for each list of blows, several at a time, and tells how it goes. */
export async function inLanes(
  wanted: readonly (readonly CrashStrike[])[],
  hold: (strikes: readonly CrashStrike[], lane: number) => Promise<Trial>,
  { lanes, say, isOver }: LaneOptions,
): Promise<Trial[]> {
  const trials: Trial[] = [];
  let next = 0;
  const work = async (lane: number) => {
    while (next < wanted.length && !isOver()) {
      const trial = await hold(wanted[next++] ?? [], lane);
      trials.push(trial);
      for (const violation of trial.violations) say(`✗ ${violation}`);
      if (trials.length % 25 === 0) say(`${trials.length} of ${wanted.length} trials`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
  return trials;
}

/**
 * Blows that fall in a recovery: a first one that led there, then one at each point that only recoveries pass.
 */
export function strikesInRecovery({
  trials,
  known,
  seed,
}: {
  trials: readonly Trial[];
  known: ReadonlySet<string>;
  seed: number;
}): CrashStrike[][] {
  const found = new Map<string, { first: CrashStrike; passage: CrashPassage }>();
  for (const { strikes, passages } of trials) {
    const [first] = strikes;
    if (first === undefined || first.victim !== 'self' || strikes.length > 1) continue;
    const begun = passages.findIndex(({ struck }) => struck !== undefined) + 1;
    for (const passage of passages.slice(begun === 0 ? passages.length : begun))
      if (!known.has(passage.point) && !found.has(passage.point))
        found.set(passage.point, { first, passage });
  }
  return [...found.values()].flatMap(({ first, passage }) =>
    planStrikes([{ ...passage, passage: 1 }], {
      victim: 'self',
      moments: ['before', 'middle', 'after'],
      seed,
    }).map((second) => [first, second]),
  );
}
