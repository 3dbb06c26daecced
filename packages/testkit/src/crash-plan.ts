import type { CrashMoment, CrashPassage, CrashStrike, CrashVictim } from './crash-points.ts';

/** Which blows a recording gives rise to. */
export interface StrikePlan {
  victim: CrashVictim;
  moments: readonly CrashMoment[];
  /** Chooses the later passage of each point, and how long processes run before the blow. */
  seed: number;
  /** Points of which every passage counts, at one moment each: a statement that carries all kinds of facts. */
  everyPassage?: (point: string) => boolean;
  /** Points that are left out. */
  without?: (point: string) => boolean;
}

/**
 * Blows at every point of a recording: its first passage at each moment, and a later one at a moment that the seed
 * chooses. Points that cannot suffer half-way are not struck there.
 */
export function planStrikes(passages: readonly CrashPassage[], plan: StrikePlan): CrashStrike[] {
  const byPoint = new Map<string, CrashPassage[]>();
  for (const passage of passages) {
    if (plan.without?.(passage.point)) continue;
    byPoint.set(passage.point, [...(byPoint.get(passage.point) ?? []), passage]);
  }
  let state = plan.seed * 7919 + 1;
  const roll = (sides: number) => (state = (state * 48_271) % 2_147_483_647) % sides; // Park–Miller
  return [...byPoint].flatMap(([point, met]) => {
    const [first] = met;
    if (first === undefined) return [];
    const moments = plan.moments.filter((moment) => moment !== 'middle' || first.hasMiddle);
    const blow = (passage: number, moment: CrashMoment): CrashStrike => ({
      point,
      passage,
      moment,
      victim: plan.victim,
      delayMs: roll(8),
    });
    const later = met.slice(1).map(({ passage }) => passage);
    const chosen = plan.everyPassage?.(point)
      ? later
      : later.length === 0
        ? []
        : [later[roll(later.length)] ?? 2];
    return [
      ...moments.map((moment) => blow(1, moment)),
      ...chosen.map((passage) => blow(passage, moments[roll(moments.length)] ?? 'after')),
    ];
  });
}

/** `pg:apply #12 after (backend)`: a blow as text for people. */
export function tellStrike({ point, passage, moment, victim }: CrashStrike): string {
  return `${point} #${passage} ${moment}${victim === 'self' ? '' : ` (${victim})`}`;
}
