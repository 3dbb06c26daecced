import { tellStrike, type CrashPassage, type CrashStrike } from '@baton/testkit';
import type { Trial } from './trial.ts';

/** What a number of trials came to. */
export interface Trials {
  /** Lives without a blow, from which the others were planned. */
  recordings: number;
  /** Lives with blows. */
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
  return {
    recordings: trials.filter(({ strikes }) => strikes.length === 0).length,
    trials: trials.filter(({ strikes }) => strikes.length > 0).length,
    kills: trials.reduce((sum, { kills }) => sum + kills, 0),
    violations: trials.flatMap(({ violations }) => violations),
    reached: unique(passages.map(({ point }) => point)),
    struck: unique(passages.flatMap((passage) => tellFallen(passage) ?? [])),
    missed: trials.flatMap((trial) => missedOf(trial).map(tellStrike)),
  };
}

/** Blows of a trial that did not fall. */
export function missedOf({ strikes, passages }: Pick<Trial, 'strikes' | 'passages'>): CrashStrike[] {
  const fallen = passages.filter(({ struck }) => struck !== undefined);
  return strikes.filter(
    (strike) =>
      !fallen.some(
        ({ point, passage, struck, victim = 'self' }) =>
          point === strike.point &&
          passage === strike.passage &&
          struck === strike.moment &&
          victim === strike.victim,
      ),
  );
}

const tellFallen = ({ point, struck, victim = 'self' }: CrashPassage) =>
  struck === undefined ? null : `${point} ${struck} ${victim}`;

const unique = (names: readonly string[]) => [...new Set(names)].sort();
