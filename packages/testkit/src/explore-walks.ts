import { attempt, type Counterexample, type Model } from './explore.ts';

/** What random walks found. */
export interface Walks {
  walks: number;
  steps: number;
  /** Walks that came to a good end within their length. */
  settled: number;
  violation: Counterexample | null;
}

/** How far to walk. */
export interface WalkOptions<World> {
  walks: number;
  /** Steps of one walk at most. */
  length: number;
  /** 0 ≤ x < 1; the same numbers give the same walks. */
  random(): number;
  /** Steps are more likely with a higher weight; 1 by default. */
  weight?(name: string): number;
  /** Called at the end of each walk. */
  ended?(world: World, trace: readonly string[]): readonly string[];
  stop?(): boolean;
}

/** Walks through a world at random, again and again, until something is wrong. For sizes that no exploration gets to the end of. */
export function walkAtRandom<World>(model: Model<World>, options: WalkOptions<World>): Walks {
  const sum: Walks = { walks: 0, steps: 0, settled: 0, violation: null };
  for (let walk = 0; walk < options.walks && options.stop?.() !== true; walk++) {
    let world = model.start;
    const trace: string[] = [];
    while (trace.length < options.length && !model.settled(world)) {
      const here = world;
      const taken = attempt(() => model.steps(here));
      const step = taken.broken === null ? choose(taken.value, options) : null;
      if (step === undefined) break;
      if (step !== null) {
        world = step.next;
        trace.push(step.name);
      }
      const [what] = [taken.broken ?? [], step?.broken ?? [], model.violations(world)].flat();
      if (what !== undefined) return { ...sum, steps: sum.steps + trace.length, violation: { what, trace } };
    }
    sum.walks += 1;
    sum.steps += trace.length;
    if (model.settled(world)) sum.settled += 1;
    const [what] = options.ended?.(world, trace) ?? [];
    if (what !== undefined) return { ...sum, violation: { what, trace } };
  }
  return sum;
}

function choose<Step extends { name: string }>(
  steps: readonly Step[],
  { random, weight = () => 1 }: Pick<WalkOptions<never>, 'random' | 'weight'>,
): Step | undefined {
  const weights = steps.map(({ name }) => weight(name));
  let left = random() * weights.reduce((all, each) => all + each, 0);
  return steps.find((_, at) => (left -= weights[at] ?? 0) < 0) ?? steps.at(-1);
}

/** Pseudo-random numbers 0 ≤ x < 1 from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
