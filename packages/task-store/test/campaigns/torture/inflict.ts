import { planStrikes, type CrashPassage, type CrashStrike } from '@baton/testkit';
import { inLanes, type Held, type Job, type LaneOptions } from './in-lanes.ts';
import { allMoments, dice, shuffled, type Stage } from './stage.ts';
import { missedOf, sumOf, type Trials } from './sums.ts';

/** How much is wanted. */
export interface InflictOptions extends LaneOptions {
  seed: number;
  short: boolean;
  /** So many trials with blows, in all stages together; null: as many as the points give rise to. */
  trials: number | null;
}

/** What came of it. */
export interface Inflicted {
  sums: Record<string, Trials>;
  /** Trials with blows that were meant to be held. */
  wanted: number;
}

/**
 * Records a life of each stage, deals a blow at every point that it passed, then at the points that only a recovery
 * passes; whatever is wanted beyond falls at random passages.
 */
export async function inflict(stages: readonly Stage[], options: InflictOptions): Promise<Inflicted> {
  const { seed, short, trials } = options;
  const roll = dice(seed);
  const recordings = short
    ? []
    : await inLanes(
        stages.map((stage) => ({ stage, strikes: [] })),
        options,
      );
  const grid = mixed(
    stages.map((stage) => {
      const recording = recordings.find((held) => held.stage === stage);
      const planned = short ? stage.few(seed) : stage.plan(recording?.trial.passages ?? [], seed);
      return shuffled(planned, roll).map((strikes) => ({ stage, strikes }));
    }),
  );
  const left = (held: readonly Held[]) => (trials ?? Number.POSITIVE_INFINITY) - held.length;
  const held = await inLanes(grid.slice(0, left([])), options);
  if (!short) {
    const again = [...missedChains(held), ...inRecoveries({ held, recordings, seed })];
    held.push(...(await inLanes(again.slice(0, left(held)), options)));
    if (trials !== null)
      held.push(...(await inLanes(atRandom({ grid, recordings, roll, count: left(held) }), options)));
  }
  const all = [...recordings, ...held];
  const parts = [...new Set(stages.map(({ part }) => part))];
  const sums = parts.map((part) => [
    part,
    sumOf(all.filter(({ stage }) => stage.part === part).map(({ trial }) => trial)),
  ]);
  return { sums: Object.fromEntries(sums) as Record<string, Trials>, wanted: trials ?? grid.length };
}

/** All lists as one, each spread over its whole length: a run that is cut short has seen of each as much in proportion. */
function mixed<T>(lists: readonly (readonly T[])[]): T[] {
  return lists
    .flatMap((list) => list.map((thing, at) => ({ thing, at: (at + 0.5) / list.length })))
    .sort((a, b) => a.at - b.at)
    .map(({ thing }) => thing);
}

/** Blows of a life of several that did not fall, one by one. */
function missedChains(held: readonly Held[]): Job[] {
  return held.flatMap(({ stage, trial }) =>
    trial.strikes.length < 2 ? [] : missedOf(trial).map((strike) => ({ stage, strikes: [strike] })),
  );
}

/** Blows that fall in a recovery: a first one that led there, then one at each point that only recoveries pass. */
function inRecoveries(options: { held: readonly Held[]; recordings: readonly Held[]; seed: number }): Job[] {
  const { held, recordings, seed } = options;
  const found = new Map<string, { stage: Stage; first: CrashStrike; passage: CrashPassage }>();
  const known = (stage: Stage) =>
    new Set(recordings.find((one) => one.stage === stage)?.trial.passages.map(({ point }) => point));
  const knownOf = new Map(recordings.map(({ stage }) => [stage, known(stage)]));
  for (const { stage, trial } of held) {
    const [first] = trial.strikes;
    if (!stage.recovers || first?.victim !== 'self') continue;
    const fallen = trial.passages.map(({ struck }) => struck !== undefined);
    // What the process passed that carried on after the first blow; a later blow ends it.
    const [begun = -1, ended = trial.passages.length] = fallen.flatMap((is, at) => (is ? [at] : []));
    for (const passage of begun === -1 ? [] : trial.passages.slice(begun + 1, ended)) {
      const key = `${stage.part} ${passage.point}`;
      if (!knownOf.get(stage)?.has(passage.point) && !found.has(key))
        found.set(key, { stage, first, passage });
    }
  }
  return [...found.values()].flatMap(({ stage, first, passage }) =>
    planStrikes([{ ...passage, passage: 1 }], { victim: 'self', moments: allMoments, seed }).map(
      (second) => ({ stage, strikes: [first, second] }),
    ),
  );
}

/** Blows of the grid, at other passages of their points. */
function atRandom(options: {
  grid: readonly Job[];
  recordings: readonly Held[];
  roll: (sides: number) => number;
  count: number;
}): Job[] {
  const { grid, recordings, roll, count } = options;
  if (grid.length === 0) return [];
  const passed = new Map(
    recordings.map(({ stage, trial }) => [stage, Map.groupBy(trial.passages, ({ point }) => point)]),
  );
  return Array.from({ length: count }, () => {
    const { stage, strikes } = grid[roll(grid.length)] as Job;
    const elsewhere = strikes.map((strike) => ({
      ...strike,
      passage: 1 + roll(passed.get(stage)?.get(strike.point)?.length ?? 1),
    }));
    return { stage, strikes: elsewhere };
  });
}
