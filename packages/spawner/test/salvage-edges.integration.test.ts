import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { edgeCases, movedCases, moves } from './campaigns/salvage/edges.ts';
import { problemsOf } from './campaigns/salvage/play-all.ts';
import { ends } from './campaigns/salvage/play.ts';

/** `pnpm evidence salvage` plays each case with each end. */
test('what leads out of a worktree, is mounted in it or has no bytes is named, and nothing outside is touched, however it ended', async () => {
  expect(await problemsOf(edgeCases('an end in turn'))).toEqual([]);
}, 300_000);

for (const [cases, tagged] of inParts(1, moves))
  test.each(cases)(
    'commits, stashes and staged content in objects that an agent put elsewhere are kept (%s)',
    { ...tagged, timeout: 300_000 },
    async (moved) => {
      expect(await problemsOf(movedCases(moved, 'an end in turn'))).toEqual([]);
    },
  );

for (const [cases, tagged] of inParts(1, ['index a folder', 'broken index']))
  test.each(cases)(
    'commits in objects that an agent borrows are kept though its index cannot be read (%s)',
    { ...tagged, timeout: 300_000 },
    async (broken) => {
      const does = ['write', 'foreign alternates', 'foreign head', 'reset hard', broken];
      const cases = ends.map((end) => ({ name: `${broken}/${end}`, seed: 3, does, end, dieAt: 6 }));
      expect(await problemsOf(cases)).toEqual([]);
    },
  );

test('objects that are put elsewhere twice are named by the place where they lie', async () => {
  const does = ['write', 'commit', 'objects elsewhere', 'objects elsewhere'];
  const cases = ends.map((end) => ({ name: `twice/${end}`, seed: 3, does, end, dieAt: 6 }));
  expect(await problemsOf(cases)).toEqual([]);
}, 300_000);

test('cases that are played at the same time leave alone what each other mounted', async () => {
  const mounts = Array.from({ length: 4 }, (_, at) => ['bind mount', 'file system'][at % 2] ?? '');
  const cases = mounts.map((does, seed) => ({
    ...{ name: `mounted/${seed}`, seed, does: ['write', does], end: 'killed' as const, dieAt: 0 },
  }));
  expect(await problemsOf(cases)).toEqual([]);
}, 300_000);
