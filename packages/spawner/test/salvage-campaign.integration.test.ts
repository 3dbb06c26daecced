import { testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { edgeActions } from './campaigns/salvage/edge-actions.ts';
import { generate, openGround, play, singles, type SalvageCase } from './campaigns/salvage/play.ts';

/** The edges are played with each of their ends in turn by `salvage-edges`. */
const inside = singles().filter(({ does }) => does.every((each) => !(each in edgeActions)));

test.each<[string, readonly SalvageCase[]]>([
  ['each kind of thing that an agent leaves', inside],
  ['mixtures of them, however it ended', generate({ seed: 1, count: testRounds({ short: 6, full: 30 }) })],
])(
  '%s: in a ref, or named',
  async (_, cases) => {
    await using ground = await openGround();
    const found: string[] = [];
    const waiting = [...cases];
    const lane = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { name, does, end } = one;
        const { problems } = await play(ground, one);
        found.push(...problems.map((problem) => `${name} [${does.join(', ')}] ${end}: ${problem}`));
      }
    };
    await Promise.all(Array.from({ length: 4 }, lane));
    expect(found).toEqual([]);
  },
  600_000,
);
