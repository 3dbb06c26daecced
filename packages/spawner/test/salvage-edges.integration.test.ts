import { expect, test } from 'vitest';
import { edgeCases, movedCases, moves } from './campaigns/salvage/edges.ts';
import { ends, openGround, play, type SalvageCase } from './campaigns/salvage/play.ts';

/** Plays cases on a ground of their own; `pnpm evidence salvage` plays each with each end. */
async function problemsOf(cases: readonly SalvageCase[]): Promise<string[]> {
  await using ground = await openGround();
  const found: string[] = [];
  for (const one of cases) {
    const { problems } = await play(ground, one);
    found.push(...problems.map((problem) => `${one.name}: ${problem}`));
  }
  return found;
}

test('what leads out of a worktree, is mounted in it or has no bytes is named, and nothing outside is touched, however it ended', async () => {
  expect(await problemsOf(edgeCases('an end in turn'))).toEqual([]);
}, 300_000);

test.each(moves)(
  'commits, stashes and staged content in objects that an agent put elsewhere are kept (%s)',
  async (moved) => {
    expect(await problemsOf(movedCases(moved, 'an end in turn'))).toEqual([]);
  },
  300_000,
);

test.each(['index a folder', 'broken index'])(
  'commits in objects that an agent borrows are kept though its index cannot be read (%s)',
  async (broken) => {
    await using ground = await openGround();
    const found: string[] = [];
    for (const end of ends) {
      const does = ['write', 'foreign alternates', 'foreign head', 'reset hard', broken];
      const { problems } = await play(ground, { name: `${broken}/${end}`, seed: 3, does, end, dieAt: 6 });
      found.push(...problems);
    }
    expect(found).toEqual([]);
  },
  300_000,
);

test('objects that are put elsewhere twice are named by the place where they lie', async () => {
  await using ground = await openGround();
  const found: string[] = [];
  for (const end of ends) {
    const does = ['write', 'commit', 'objects elsewhere', 'objects elsewhere'];
    const { problems } = await play(ground, { name: `twice/${end}`, seed: 3, does, end, dieAt: 6 });
    found.push(...problems);
  }
  expect(found).toEqual([]);
}, 300_000);

test('cases that are played at the same time leave alone what each other mounted', async () => {
  await using ground = await openGround();
  const mounts = Array.from({ length: 4 }, (_, at) => ['bind mount', 'file system'][at % 2] ?? '');
  const played = mounts.map((does, seed) =>
    play(ground, { name: `mounted/${seed}`, seed, does: ['write', does], end: 'killed', dieAt: 0 }),
  );
  expect((await Promise.all(played)).flatMap(({ problems }) => problems)).toEqual([]);
}, 300_000);
