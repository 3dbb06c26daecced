import { expect, it } from 'vitest';
import {
  facetsOf,
  historyOf,
  isInProcesses,
  personActs,
  places,
  coveringSeeds,
  troubles,
} from '../src/campaigns/histories/history.ts';
import { readLog, standsBetween, type Stand } from '../src/campaigns/histories/timeline.ts';
import { baseTree, textAt } from '../src/campaigns/histories/tree.ts';
import { applied, type Work, type WorkKind } from '../src/campaigns/histories/works.ts';

it('gives the same history for the same seed, and another for another', () => {
  expect(historyOf(7)).toEqual(historyOf(7));
  expect(historyOf(8)).not.toEqual(historyOf(7));
});

it('chooses seeds for the short form that show each place, each trouble, each act of a person and each shape of work', () => {
  const shown = new Set(coveringSeeds(1, 6).flatMap((seed) => facetsOf(historyOf(seed))));
  const wanted = [
    ...places.map((place) => `place ${place}`),
    ...troubles.map((trouble) => `trouble ${trouble}`),
    ...personActs.map((act) => `person ${act}`),
    ...['shape one', 'shape three', 'shape merge', 'a gate that is wrong', 'each commit judged'],
  ];
  expect(wanted.filter((facet) => !shown.has(facet))).toEqual([]);
});

it('has holders in processes of their own in about a fifth of the histories', () => {
  const all = Array.from({ length: 500 }, (_, seed) => historyOf(seed));
  const share = all.filter(isInProcesses).length / all.length;
  expect(share).toBeGreaterThan(0.14);
  expect(share).toBeLessThan(0.26);
});

/** Sum of the parts and the limit that the gate compares. */
const sumOf = (tree: typeof baseTree) =>
  ['a', 'b', 'c'].reduce((sum, name) => sum + Number(textAt(tree, `parts/${name}`)), 0);
const isUnderLimit = (tree: typeof baseTree) => sumOf(tree) <= Number(textAt(tree, 'limit'));

it.each([
  ['raise', 'raise'],
  ['raise', 'lower'],
] as const)('knows works that are green alone and red together: %s and %s', (first, second) => {
  const work = (kind: WorkKind, spot: number): Work => ({ key: `${kind}-${spot}`, kind, spot });
  const [one, two] = [work(first, 0), work(second, 1)];
  expect([applied(one, baseTree), applied(two, baseTree)].map(isUnderLimit)).toEqual([true, true]);
  expect(isUnderLimit(applied(two, applied(one, baseTree)))).toBe(false);
});

it('knows which values a target can have had in a span of time', () => {
  const stand = (commit: string, earliestMs: number, latestMs: number): Stand => ({
    ...{ from: null, commit, byPerson: false, earliestMs, latestMs },
  });
  const stands = [stand('a', 0, 0), stand('b', 10, 20), stand('c', 30, 40)];
  const between = (fromMs: number, toMs: number) =>
    standsBetween(stands, { fromMs, toMs }).map(({ commit }) => commit);
  expect(between(0, 5)).toEqual(['a']);
  expect(between(0, 15)).toEqual(['a', 'b']);
  expect(between(21, 29)).toEqual(['b']);
  expect(between(41, 50)).toEqual(['c']);
});

it('reads who made a commit from its trailers', () => {
  const text = ['c1\tt1\tp1\ttask-1\t2', 'c2\tt2\tp1 p2\t\t'].join('\n');
  expect([...readLog(text).values()]).toEqual([
    { id: 'c1', tree: 't1', parents: ['p1'], taskId: 'task-1', attempt: 2 },
    { id: 'c2', tree: 't2', parents: ['p1', 'p2'], taskId: null, attempt: null },
  ]);
});
