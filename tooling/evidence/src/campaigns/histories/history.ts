import { seededRandom } from '@baton/testkit';
import { worksOf, type Work } from './works.ts';

/** Where the target of a history lies. */
export const places = ['local', 'checked out', 'linked worktree', 'remote'] as const;
/** What happens to those who land. `stalls`: their calls of the store take longer than their lease, in one process. */
export const troubles = ['none', 'stalls', 'kill', 'stop', 'freeze'] as const;
/** What a person does to the target and its checkout. */
export const personActs = [
  'commit',
  'conflicting commit',
  'red commit',
  'take back own commit',
  'take back landed',
  'change a file',
  'file in the way',
  'begin a bisect',
  'switch away',
] as const;

/** A piece of work, and when it is made. */
export interface PlannedWork extends Work {
  /** Null: on the base before anything lands. Else after so many works were decided, on the base or on the head of that moment. */
  later: { decided: number; on: 'base' | 'head' } | null;
  /** The commits that its range has: one, several, or with a merge of the target in it. */
  shape: 'one' | 'three' | 'merge';
  retries: number;
}

/** What a person does once so many works were decided. */
export interface PersonAct {
  decided: number;
  act: (typeof personActs)[number];
  /** For how long, where it is undone afterwards. */
  forMs: number;
}

/** A crash or a stop of a holder at one of its steps. */
export interface Blow {
  /** Part of the name of the step; null: any. */
  step: string | null;
  /** Part of the name of a step from which on they are counted; null: all are. */
  since: string | null;
  /** Which passage of such a step, 1 is the first. */
  passage: number;
  moment: 'before' | 'middle' | 'after';
  how: 'stall' | 'kill' | 'stop' | 'freeze';
  /** How long a program or call runs before a blow in its middle. */
  delayMs: number;
  /** How long it lasts, where it ends. */
  forMs: number;
}

/** One history, before it is played. */
export interface History {
  seed: number;
  place: (typeof places)[number];
  trouble: (typeof troubles)[number];
  works: PlannedWork[];
  person: PersonAct[];
  blows: Blow[];
  /** Numbers of the gate runs that are red for nothing. */
  lies: number[];
  /** Each work is judged alone. */
  everyCommit: boolean;
  /** Nothing lands before all that is made on the base is done. */
  together: boolean;
}

/** Steps of a landing, as parts of their names. */
const steps = [
  ...['lanes.acquire', 'lanes.takeForLanding', 'lanes.saveVerdict', 'lanes.abandon', 'lanes.release'],
  ...['claims.record', 'git update-ref', 'git push', 'git fetch', 'git hash-object', 'git merge-tree'],
  ...['git commit-tree', 'sh'],
];
type Moments = readonly Blow['moment'][];
type WindowStep = readonly [step: string, moments: Moments];
const all: Moments = ['before', 'middle', 'after'];
/** Steps between an intent and its end, where a target has moved and the store does not know it yet, or the other way round. */
const window: readonly [WindowStep, WindowStep] = [
  ['lanes.writeIntents', ['middle', 'after', 'after']],
  ['lanes.confirm', all],
];
/** How the target is moved: by a push, or by a transaction of refs. */
const moves = { remote: ['git push --quiet', all], local: ['git update-ref --stdin', all] } as const;
const someSteps = 60;
/** Of all histories, so many have holders in processes of their own. */
const processShare = 0.2;

type Dice = ReturnType<typeof diceOf>;
function diceOf(random: () => number) {
  const below = (most: number): number => Math.floor(random() * most);
  return {
    random,
    below,
    chance: (share: number): boolean => random() < share,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
  };
}

/** The history of a seed. Pure. */
export function historyOf(seed: number): History {
  const dice = diceOf(seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995));
  const place = dice.pick([...places, 'local', 'remote'] as const);
  const trouble = dice.chance(processShare)
    ? dice.pick(['kill', 'kill', 'stop', 'freeze'] as const)
    : dice.pick(['none', 'none', 'stalls'] as const);
  const everyCommit = dice.chance(0.3);
  const together = dice.chance(0.5);
  const planned = worksOf(3 + dice.below(6), dice.random).map((work) => plannedOf(work, dice));
  const person = dice.chance(0.4) ? personOf(place, { dice, works: planned.length }) : [];
  const works = withWaiting(planned, person);
  const isFlaky = dice.chance(0.15);
  return {
    ...{ seed, place, trouble, everyCommit, together, works },
    person,
    blows: trouble === 'none' ? [] : [blowOf({ trouble, place }, dice), blowOf({ trouble, place }, dice)],
    lies: isFlaky ? Array.from({ length: 40 }, (_, at) => at).filter(() => dice.chance(0.2)) : [],
  };
}

function plannedOf(work: Work, dice: Dice): PlannedWork {
  const later = dice.chance(0.3)
    ? { decided: 1 + dice.below(2), on: dice.chance(0.5) ? ('base' as const) : ('head' as const) }
    : null;
  const merges = later !== null && later.on === 'base' && dice.chance(0.5);
  const shape = merges ? 'merge' : dice.chance(0.2) ? 'three' : 'one';
  return { ...work, later, shape, retries: dice.chance(0.3) ? 1 : 0 };
}

function personOf(place: History['place'], { dice, works }: { dice: Dice; works: number }): PersonAct[] {
  const isCheckedOut = place === 'checked out' || place === 'linked worktree';
  const acts = isCheckedOut ? personActs : personActs.slice(0, 5);
  return Array.from({ length: 1 + dice.below(2) }, () => ({
    decided: dice.below(Math.max(1, works - 1)),
    act: dice.pick(acts),
    forMs: 50 + dice.below(400),
  })).map((each) => (isHolding(each) ? { ...each, forMs: 600 + 2 * each.forMs } : each));
}

/** Acts that nothing may land after, until they are undone. */
const isHolding = ({ act }: PersonAct): boolean => act === 'take back landed' || act === 'red commit';

/** Where a person does what holds up all landing, there is work that comes at that moment. */
function withWaiting(works: PlannedWork[], person: readonly PersonAct[]): PlannedWork[] {
  const holding = person.find(isHolding);
  if (holding === undefined) return works;
  const at = works.findLastIndex(({ kind }) => kind !== 'empty' && kind !== 'bad');
  const later = { decided: Math.max(1, holding.decided), on: 'base' as const };
  return works.map((work, place) => (place === at ? { ...work, later } : work));
}

function blowOf({ trouble, place }: Pick<History, 'trouble' | 'place'>, dice: Dice): Blow {
  const isStall = trouble === 'stalls';
  const move = moves[place === 'remote' ? 'remote' : 'local'];
  const [deciding, moments] = dice.pick(isStall ? window : [...window, move, move]);
  const inWindow = dice.chance(0.5);
  const step = inWindow ? deciding : dice.chance(0.5) ? dice.pick(isStall ? steps.slice(0, 6) : steps) : null;
  const moment = dice.pick(inWindow ? moments : all);
  return {
    step,
    // The lane's ref is moved in the same way before.
    since: step === move[0] ? window[0][0] : null,
    passage: step === null ? 1 + dice.below(someSteps) : 1 + (dice.chance(0.3) ? 1 : 0),
    // A call of the store that hangs is no half-made one.
    moment: isStall && moment === 'middle' ? 'after' : moment,
    how: trouble === 'kill' || trouble === 'stop' || trouble === 'freeze' ? trouble : 'stall',
    delayMs: dice.below(6),
    forMs: 2_100 + dice.below(900),
  };
}

/** Whether those who land are processes of their own. */
export const isInProcesses = ({ trouble }: Pick<History, 'trouble'>): boolean =>
  trouble === 'kill' || trouble === 'stop' || trouble === 'freeze';

/** What a history shows that others may not: its place, what happens to holders, what works there are, what a person does. Pure. */
export function facetsOf({ place, trouble, works, person, lies, everyCommit }: History): string[] {
  return [
    `place ${place}`,
    `trouble ${trouble}`,
    ...(lies.length > 0 ? ['a gate that is wrong'] : []),
    ...(everyCommit ? ['each commit judged'] : []),
    ...person.map(({ act }) => `person ${act}`),
    ...works.flatMap(({ kind, shape, later }) => [
      `work ${kind}`,
      `shape ${shape}`,
      `on ${later?.on ?? 'the base at once'}`,
    ]),
  ];
}

/** Out of so many for each. */
const candidatesOf = 2_000;

/** So many seeds, from this one on, whose histories show as much as possible between them. Pure. */
export function coveringSeeds(seed: number, count: number): number[] {
  const shown = new Set<string>();
  const chosen: number[] = [];
  const candidates = Array.from({ length: candidatesOf * count }, (_, at) => ({
    at,
    facets: facetsOf(historyOf(seed + at)),
  }));
  while (chosen.length < count && candidates.length > 0) {
    const fresh = ({ facets }: (typeof candidates)[number]) =>
      new Set(facets.filter((facet) => !shown.has(facet))).size;
    const best = candidates.reduce((most, one) => (fresh(one) > fresh(most) ? one : most));
    candidates.splice(candidates.indexOf(best), 1);
    chosen.push(seed + best.at);
    for (const facet of best.facets) shown.add(facet);
  }
  return chosen;
}
