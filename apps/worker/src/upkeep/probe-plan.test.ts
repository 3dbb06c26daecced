import type { WorkUnderWay } from '@baton/task-store';
import { expect, it } from 'vitest';
import {
  lanesToProbe,
  markOf,
  mostWorks,
  notesOf,
  pairKey,
  pairsOf,
  pairsToProbe,
  type Probed,
  type Work,
} from './probe-plan.ts';

const work = (attemptId: string, tree = `tree-${attemptId}`): Work => ({ attemptId, startCommit: 's', tree });
const [a, b, c] = [work('a'), work('b'), work('c')];
const probed = (mark: string, more: Partial<Probed> = {}): Probed => ({
  ...{ mark, files: [], since: '2026-01-01T00:00:00.000Z', round: 1 },
  ...more,
});

it('each piece of work is paired with the target and with each other piece', () => {
  expect(pairsOf([a, b, c]).map(pairKey)).toEqual(['a', 'b', 'c', 'a b', 'a c', 'b c']);
  expect(pairKey({ one: b, other: a })).toBe(pairKey({ one: a, other: b }));
});

it('only what changed since the last look is merged, what was looked at longest ago first, within the limit', () => {
  const pairs = pairsOf([a, b, c]);
  const known = new Map(
    pairs.map((pair, at) => [pairKey(pair), probed(markOf('head', pair), { round: 10 - at })]),
  );
  expect(pairsToProbe(pairs, { head: 'head', known, limit: 60 })).toEqual([]);
  const changed = pairsOf([a, b, work('c', 'other')]);
  const wanted = (limit: number) =>
    pairsToProbe(changed, { head: 'head', known, limit }).map((pair) => pairKey(pair));
  expect(wanted(60)).toEqual(['b c', 'a c', 'c']);
  expect(wanted(1)).toEqual(['b c']);
  expect(pairsToProbe(pairs, { head: 'moved', known, limit: 60 })).toHaveLength(6);
});

it('a pair that was not reached keeps what was found, and one that merges says nothing', () => {
  const pairs = pairsOf([a, b]);
  const files = Array.from({ length: 25 }, (_, at) => `f${at}`);
  const known = new Map([
    ['a', probed('old', { files: ['x'] })],
    ['a b', probed('old', { files })],
    ['b', probed('old')],
  ]);
  expect(notesOf(pairs, { target: 'main', known })).toEqual([
    { attempts: ['a', null], target: 'main', files: ['x'], more: 0, since: '2026-01-01T00:00:00.000Z' },
    {
      ...{ attempts: ['a', 'b'], target: 'main', files: files.slice(0, 20), more: 5 },
      since: '2026-01-01T00:00:00.000Z',
    },
  ]);
});

it('of the living workers of a host and state folder one looks, at most at so many pieces of work', () => {
  const of = (workerId: string, more: Partial<WorkUnderWay> = {}): WorkUnderWay => ({
    ...{ attemptId: workerId, taskId: 't', fence: 1, repoId: 'r', location: '/r', host: 'h', target: 'main' },
    ...{ workerId, workerLives: true, place: { host: 'h', workspace: '/near/w1/tree' } },
    ...{ startCommit: null, headCommit: null, headPlace: null },
    ...more,
  });
  const isNear = ({ place }: WorkUnderWay) => place?.workspace.startsWith('/near/') === true;
  const probes = (works: WorkUnderWay[], workerId: string) =>
    lanesToProbe(works, { workerId, isNear }).map((lane) => lane.length);
  expect([probes([of('w1'), of('w2')], 'w1'), probes([of('w1'), of('w2')], 'w2')]).toEqual([[2], []]);
  const silent = [of('w1', { workerLives: false }), of('w2')];
  expect(probes(silent, 'w2')).toEqual([2]);
  const far = [of('w1', { place: { host: 'h', workspace: '/far/w1/tree' } }), of('w2')];
  expect(probes(far, 'w2')).toEqual([2]);
  const targets = [of('w1'), of('w1', { target: 'other' })];
  expect(probes(targets, 'w1')).toEqual([1, 1]);
  expect(probes(Array(30).fill(of('w1')) as WorkUnderWay[], 'w1')).toEqual([mostWorks]);
});
