import { describe, expect, it } from 'vitest';
import { explore, type Model } from './explore.ts';
import { seededRandom, walkAtRandom } from './explore-walks.ts';
import { fingerprints } from './fingerprints.ts';

type Place = 'out' | 'wants' | 'in';
interface World {
  places: readonly Place[];
  locked: boolean;
}

/** Processes around one lock; with `careless`, taking it doesn't look whether it is free. */
function lockModel(
  count: number,
  { careless = false, keeps = false }: { careless?: boolean; keeps?: boolean } = {},
): Model<World> {
  const moved = (world: World, at: number, to: Place) =>
    world.places.map((place, i) => (i === at ? to : place));
  return {
    start: { places: Array.from({ length: count }, () => 'wants'), locked: false },
    steps: (world) =>
      world.places.flatMap((place, at) => {
        if (place === 'wants' && (careless || !world.locked))
          return [{ name: `${at} takes`, next: { places: moved(world, at, 'in'), locked: true } }];
        if (place === 'in')
          return [{ name: `${at} leaves`, next: { places: moved(world, at, 'out'), locked: keeps } }];
        return [];
      }),
    key: (world) => `${[...world.places].sort().join()} ${world.locked}`,
    violations: (world) =>
      world.places.filter((place) => place === 'in').length > 1 ? ['two are in at once'] : [],
    settled: (world) => world.places.every((place) => place === 'out'),
  };
}

describe('an exploration', () => {
  it('reaches every world once, counts alike ones as one, and says how deep they lie', () => {
    const visited: string[] = [];
    const found = explore(lockModel(3), { visit: (world) => visited.push(world.places.join()) });
    expect(found).toEqual({ states: 7, steps: 9, depth: 6, settled: 1, fixpoint: true, violation: null });
    expect(visited).toHaveLength(7);
  });

  it('gives the shortest way to a violation', () => {
    expect(explore(lockModel(3, { careless: true })).violation).toEqual({
      what: 'two are in at once',
      trace: ['0 takes', '1 takes'],
    });
  });

  it('finds the nearest world from which no good end can be reached', () => {
    expect(explore(lockModel(2, { keeps: true })).violation).toEqual({
      what: 'no good end can be reached from here',
      trace: [],
    });
    const trap = lockModel(1);
    const steps: typeof trap.steps = (world) => [
      ...trap.steps(world),
      ...(world.locked ? [{ name: 'falls', next: { places: ['wants' as const], locked: true } }] : []),
    ];
    const only = explore({ ...trap, steps, settled: (world) => world.places[0] === 'out' });
    expect(only.violation?.trace).toEqual(['0 takes', 'falls']);
  });

  it('reports a step that is wrong in itself, also when it leads to a known world', () => {
    const model = lockModel(1);
    const steps: typeof model.steps = (world) =>
      model
        .steps(world)
        .map((step) => (step.name === '0 leaves' ? { ...step, broken: ['slammed the door'] } : step));
    expect(explore({ ...model, steps }).violation).toEqual({
      what: 'slammed the door',
      trace: ['0 takes', '0 leaves'],
    });
  });

  it('takes an error for a finding, with the way to the world where it is thrown', () => {
    const model = lockModel(2);
    const steps: typeof model.steps = (world) => {
      if (world.locked) throw new TypeError('no key');
      return model.steps(world);
    };
    const what = 'breaks off: TypeError: no key';
    expect(explore({ ...model, steps }).violation).toEqual({ what, trace: ['0 takes'] });
    const walked = walkAtRandom({ ...model, steps }, { walks: 1, length: 9, random: seededRandom(1) });
    expect(walked.violation?.what).toBe(what);
    const visit = (world: World) => {
      if (world.places.includes('out')) throw new RangeError('gone');
    };
    expect(explore(model, { visit }).violation).toEqual({
      what: 'breaks off: RangeError: gone',
      trace: ['0 takes', '0 leaves'],
    });
  });

  it('says that it was not brought to an end', () => {
    expect(explore(lockModel(6), { mostStates: 5 })).toMatchObject({ fixpoint: false, violation: null });
  });
});

it('walks at random by its seed, and finds what is wrong', () => {
  const careless = lockModel(4, { careless: true });
  const go = (seed: number) => walkAtRandom(careless, { walks: 50, length: 20, random: seededRandom(seed) });
  expect(go(1).violation?.what).toBe('two are in at once');
  expect(go(1)).toEqual(go(1));
  expect(walkAtRandom(lockModel(4), { walks: 50, length: 20, random: seededRandom(1) })).toMatchObject({
    walks: 50,
    settled: 50,
    steps: 400,
    violation: null,
  });
});

it('numbers texts in the order in which they come, however many there are', () => {
  const set = fingerprints(4);
  const all = Array.from({ length: 5000 }, (_, at) => set.add(`text ${at}`));
  expect(all).toEqual(Array.from({ length: 5000 }, (_, at) => at));
  expect(set.add('text 1234')).toBe(1234);
  expect(set.size).toBe(5000);
});
