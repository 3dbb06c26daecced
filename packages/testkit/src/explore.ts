import { fingerprints, type Fingerprints } from './fingerprints.ts';
import { numbers, type Numbers } from './numbers.ts';

/** One thing that may happen next. */
export interface Step<World> {
  /** What happens, for people; a trace is a list of these. */
  name: string;
  next: World;
  /** What the step itself did wrong, whatever the world looks like afterwards. */
  broken?: readonly string[];
}

/** A world to be explored. Worlds are values: a step makes a new one and leaves the old one alone. */
export interface Model<World> {
  start: World;
  /** All that may happen; the same world always gives the same steps in the same order. */
  steps(world: World): Step<World>[];
  /** Equal for worlds that behave alike; whatever makes two worlds differ belongs into it. */
  key(world: World): string;
  /** What must not be, one sentence each. */
  violations(world: World): readonly string[];
  /** Everything has come to a good end; from every reachable world one such must be reachable. */
  settled(world: World): boolean;
}

/** A way to something that must not be. */
export interface Counterexample {
  what: string;
  /** Names of the steps from the start. */
  trace: string[];
}

/** What an exploration found. */
export interface Exploration {
  states: number;
  steps: number;
  /** Longest of the shortest ways from the start. */
  depth: number;
  settled: number;
  /** Every reachable world was looked at. */
  fixpoint: boolean;
  violation: Counterexample | null;
}

/** What it came to, or what it threw: a model that breaks off is wrong in this world. */
export type Attempt<T> = { value: T; broken: null } | { value: null; broken: string };

/** Tries it; an error is returned, not thrown. */
export function attempt<T>(act: () => T): Attempt<T> {
  try {
    return { value: act(), broken: null };
  } catch (error) {
    return { value: null, broken: `breaks off: ${String(error)}` };
  }
}

/** Where an exploration ends early, and who watches. */
export interface ExploreOptions<World> {
  mostStates?: number;
  /** Asked once for every thousand worlds. */
  stop?(): boolean;
  /** Called once for each world, in the order of their distance from the start. */
  visit?(world: World, trace: () => string[]): void;
  /** Called when all worlds at a distance from the start are done. */
  layer?(done: { depth: number; states: number; frontier: number }): void;
}

interface Graph {
  /** World that this one was first reached from. */
  parents: Numbers;
  /** Which of its parent's steps led to it. */
  ordinals: Numbers;
  /** Where the list of a world's successors begins in `targets`. */
  offsets: Numbers;
  targets: Numbers;
  settled: Numbers;
}

/** An exploration under way. */
interface Walk<World> {
  readonly model: Model<World>;
  readonly options: ExploreOptions<World>;
  readonly known: Fingerprints;
  readonly graph: Graph;
  depth: number;
  settled: number;
}

/**
 * Walks through every world that can be reached, nearest first, until nothing new comes up or something is wrong: a broken step, a
 * violation, an error, or (at the end) a world from which no settled one can be reached. Keeps 64-bit fingerprints, parents and edges, never
 * the worlds: about 40 bytes a world and 4 an edge, besides the frontier.
 */
export function explore<World>(model: Model<World>, options: ExploreOptions<World> = {}): Exploration {
  const { mostStates = Infinity } = options;
  const walk = startWalk(model, options);
  const { known, graph } = walk;
  const [first] = model.violations(model.start);
  if (first !== undefined) return resultOf(walk, { what: first, trace: [] });
  let frontier = [model.start];
  let index = 0;
  while (frontier.length > 0) {
    const next: World[] = [];
    for (let at = 0; at < frontier.length; at++, index++) {
      const world = frontier[at] as World;
      frontier[at] = undefined as World;
      const violation = takeSteps(walk, world, { index, next });
      if (violation !== null) return resultOf(walk, violation);
      if (known.size >= mostStates || (index % 1000 === 999 && options.stop?.() === true))
        return resultOf(walk, null);
    }
    options.layer?.({ depth: walk.depth, states: known.size, frontier: next.length });
    frontier = next;
    if (next.length > 0) walk.depth += 1;
  }
  graph.offsets.push(graph.targets.length);
  const lost = firstWithoutEnd(graph);
  const what = 'no good end can be reached from here';
  const violation = lost === null ? null : { what, trace: traceTo(model, graph, lost) };
  return { ...resultOf(walk, violation), fixpoint: true };
}

/** Knows the start, as number 0. */
function startWalk<World>(model: Model<World>, options: ExploreOptions<World>): Walk<World> {
  const graph: Graph = {
    parents: numbers(),
    ordinals: numbers(),
    offsets: numbers(),
    targets: numbers(),
    settled: numbers(),
  };
  const known = fingerprints();
  known.add(model.key(model.start));
  graph.parents.push(-1);
  graph.ordinals.push(-1);
  return { model, options, known, graph, depth: 0, settled: 0 };
}

const resultOf = <World>(
  { known, graph, depth, settled }: Walk<World>,
  violation: Counterexample | null,
): Exploration => ({
  states: known.size,
  steps: graph.targets.length,
  depth,
  settled,
  fixpoint: false,
  violation,
});

/** Takes every step from the world with a number, and adds the new worlds to `next`. Null: nothing is wrong. */
function takeSteps<World>(
  walk: Walk<World>,
  world: World,
  { index, next }: { index: number; next: World[] },
): Counterexample | null {
  const { model, options, known, graph } = walk;
  const trace = () => traceTo(model, graph, index);
  const taken = attempt(() => {
    options.visit?.(world, trace);
    return model.steps(world);
  });
  if (taken.broken !== null) return { what: taken.broken, trace: trace() };
  const end = model.settled(world);
  graph.settled.push(end ? 1 : 0);
  if (end) walk.settled += 1;
  graph.offsets.push(graph.targets.length);
  for (const [ordinal, step] of taken.value.entries()) {
    const before = known.size;
    const target = known.add(model.key(step.next));
    graph.targets.push(target);
    const isNew = target === before;
    if (isNew) {
      graph.parents.push(index);
      graph.ordinals.push(ordinal);
      next.push(step.next);
    }
    const what = step.broken?.[0] ?? (isNew ? model.violations(step.next)[0] : undefined);
    if (what === undefined) continue;
    if (isNew) walk.depth += 1;
    return { what, trace: [...trace(), step.name] };
  }
  return null;
}

/** Worlds are not kept: the way to one is walked again, by the ordinals of its steps. */
function traceTo<World>(model: Model<World>, graph: Graph, index: number): string[] {
  const ordinals: number[] = [];
  for (let at = index; graph.parents.at(at) !== -1; at = graph.parents.at(at))
    ordinals.unshift(graph.ordinals.at(at));
  const names: string[] = [];
  let world = model.start;
  for (const ordinal of ordinals) {
    const step = model.steps(world)[ordinal];
    if (step === undefined) throw new Error('the same world gave other steps than before');
    names.push(step.name);
    world = step.next;
  }
  return names;
}

/** The nearest world from which no settled one can be reached; by going backwards until nothing changes. */
function firstWithoutEnd({ offsets, targets, settled }: Graph): number | null {
  const count = settled.length;
  const good = new Uint8Array(count);
  for (let at = 0; at < count; at++) good[at] = settled.at(at);
  for (let changed = true; changed;) {
    changed = false;
    for (let at = count - 1; at >= 0; at--) {
      if (good[at] === 1) continue;
      for (let edge = offsets.at(at); edge < offsets.at(at + 1); edge++) {
        if (good[targets.at(edge)] !== 1) continue;
        good[at] = 1;
        changed = true;
        break;
      }
    }
  }
  const lost = good.indexOf(0);
  return lost === -1 ? null : lost;
}
