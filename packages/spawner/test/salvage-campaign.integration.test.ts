import { testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { edgeActions } from './campaigns/salvage/edge-actions.ts';
import { problemsOf } from './campaigns/salvage/play-all.ts';
import { generate, singles, type SalvageCase } from './campaigns/salvage/play.ts';

/** The edges are played with each of their ends in turn by `salvage-edges`. */
const inside = singles().filter(({ does }) => does.every((each) => !(each in edgeActions)));
const step = testRounds({ short: 3, full: 1 });

test.each<[string, readonly SalvageCase[]]>([
  ['each kind of thing that an agent leaves', inside.filter((_, at) => at % step === 0)],
  ['mixtures of them, however it ended', generate({ seed: 1, count: testRounds({ short: 6, full: 30 }) })],
])(
  '%s: in a ref, or named',
  async (_, cases) => {
    expect(await problemsOf(cases)).toEqual([]);
  },
  600_000,
);
