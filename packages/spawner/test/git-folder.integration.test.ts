import { expect, test } from 'vitest';
import { gitFolderActions } from './campaigns/salvage/git-folder-actions.ts';
import { ends, openGround, play } from './campaigns/salvage/play.ts';

test.each(Object.keys(gitFolderActions))(
  'what an agent leaves in its git folder beside git’s own is kept or named, however it ended (%s)',
  async (does) => {
    await using ground = await openGround();
    const found: string[] = [];
    for (const [at, end] of ends.entries())
      for (const more of [[], ['write', 'commit']]) {
        const name = `${does}/${end}/${more.length}`;
        const { problems } = await play(ground, {
          name,
          seed: at,
          does: ['write', does, ...more],
          end,
          dieAt: 9,
        });
        found.push(...problems.map((problem) => `${name}: ${problem}`));
      }
    expect(found).toEqual([]);
  },
  120_000,
);
