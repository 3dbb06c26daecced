import { seededRandom, walkAtRandom } from '@baton/testkit';
import { apartTasks, isSettled, sizeA, sizeB, stepsOf, worldModel, type Size } from '../world/index.ts';

/** What the simulated trials came to. */
export interface Simulated {
  /** Walks in which something crashed, fell silent or died. */
  trials: number;
  walks: number;
  steps: number;
  crashes: number;
  /** Walks that came to a good end; the others were cut off, for their length alone. */
  settled: number;
  violations: string[];
}

/** Adds simulated trials up. */
export function sumOfSimulated(parts: readonly Simulated[]): Simulated {
  const sum = (pick: (part: Simulated) => number) => parts.reduce((all, part) => all + pick(part), 0);
  return {
    trials: sum((part) => part.trials),
    walks: sum((part) => part.walks),
    steps: sum((part) => part.steps),
    crashes: sum((part) => part.crashes),
    settled: sum((part) => part.settled),
    violations: parts.flatMap(({ violations }) => violations),
  };
}

const faults = { crashes: 3, duplicates: 3, delays: 3, all: 6 };
const walked = { faults, absorbs: false };
/** The worlds of the exploration, with more going wrong in them than it could ever get to the end of; and how often. */
const sizes: readonly { size: Size; share: number }[] = [
  {
    share: 0.6,
    size: {
      ...sizeA,
      ...walked,
      name: 'one task, two workers',
      tasks: apartTasks(1, {
        files: ['a'],
        maxRetries: 1,
        may: ['tools', 'compact', 'fail', 'reject', 'conflict'],
      }),
    },
  },
  { share: 0.2, size: { ...sizeA, ...walked } },
  { share: 0.2, size: { ...sizeB, ...walked } },
];
const crash = /is killed|falls silent|its agent died/;
const longest = 400;

/** Walks through the store's world at random, crashes, duplicates and delays included, until so many trials are made. */
export function simulate({ trials, seed }: { trials: number; seed: number }): Simulated {
  const sum: Simulated = { trials: 0, walks: 0, steps: 0, crashes: 0, settled: 0, violations: [] };
  for (const [at, { size, share }] of sizes.entries()) {
    const wanted = sum.trials + Math.ceil(trials * share);
    const walks = walkAtRandom(worldModel(size), {
      walks: Number.MAX_SAFE_INTEGER,
      length: longest,
      random: seededRandom(seed * 1000 + at),
      weight: (name) => (crash.test(name) ? 3 : 1),
      stop: () => sum.trials >= wanted,
      ended(world, trace) {
        const crashes = trace.filter((name) => crash.test(name)).length;
        sum.crashes += crashes;
        if (crashes > 0) sum.trials += 1;
        if (isSettled(world) || trace.length >= longest || stepsOf(world).length > 0) return [];
        return ['nothing moves any more, and not everything is over'];
      },
    });
    sum.walks += walks.walks;
    sum.steps += walks.steps;
    sum.settled += walks.settled;
    const { violation } = walks;
    if (violation !== null)
      sum.violations.push(`${size.name}: ${violation.what} (${violation.trace.join(' · ')})`);
  }
  return sum;
}
