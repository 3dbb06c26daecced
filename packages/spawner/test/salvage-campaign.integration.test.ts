import { expect, test } from 'vitest';
import { edgeActions } from './campaigns/salvage/edge-actions.ts';
import { generate, openGround, play, singles, type SalvageCase } from './campaigns/salvage/play.ts';

/** The edges are played with each of their ends in turn by `salvage-edges`. */
const inside = singles().filter(({ does }) => does.every((each) => !(each in edgeActions)));

test.each<[string, readonly SalvageCase[]]>([
  ['each kind of thing that an agent leaves', inside],
  ['mixtures of them, however it ended', generate({ seed: 1, count: 30 })],
])(
  '%s: in a ref, or named',
  async (_, cases) => {
    await using ground = await openGround();
    const found: string[] = [];
    for (const one of cases) {
      const { problems } = await play(ground, one);
      found.push(...problems.map((problem) => `${one.name} [${one.does.join(', ')}] ${one.end}: ${problem}`));
    }
    expect(found).toEqual([]);
  },
  600_000,
);
