import type { CrashPassage, CrashStrike } from '@baton/testkit';
import { expect, it } from 'vitest';
import { inflict, type InflictOptions } from '../../../packages/task-store/test/campaigns/torture/inflict.ts';
import type { TortureServer } from '../../../packages/task-store/test/campaigns/torture/server.ts';
import {
  blow,
  inChains,
  inPairs,
  type Stage,
} from '../../../packages/task-store/test/campaigns/torture/stage.ts';

const points = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
const passagesOf = (names: readonly string[]): CrashPassage[] =>
  names.flatMap((point) => [1, 2].map((passage) => ({ pid: 1, point, passage, hasMiddle: false })));

/** A part of the campaign that only plays: every blow falls, but for those at `missed` when they come second. */
function played(part: string, { size, missed = '' }: { size: number; missed?: string }) {
  const held: CrashStrike[][] = [];
  const stage: Stage = {
    part,
    recovers: false,
    few: () => [],
    plan: (passages) =>
      inPairs(
        [...passages].filter(({ passage }) => passage === 1).map(({ point }) => blow(point)),
        passages,
      ),
    hold: (strikes) => {
      held.push([...strikes]);
      const fallen = strikes.filter(({ point }, at) => at === 0 || point !== missed);
      const struck = fallen.map(({ point, passage, moment }) => ({
        ...{ pid: 2, point, passage, hasMiddle: false },
        struck: moment,
      }));
      const passages = strikes.length === 0 ? passagesOf(points(size)) : struck;
      return Promise.resolve({ strikes, kills: fallen.length, violations: [], passages });
    },
  };
  return { stage, held };
}

const options = (given: Partial<InflictOptions> = {}): InflictOptions => ({
  servers: [{} as TortureServer],
  seed: 1,
  short: false,
  trials: null,
  say: () => undefined,
  isOver: () => false,
  ...given,
});

it('deals every planned blow, and alone what a life of two has missed', async () => {
  const { stage, held } = played('store', { size: 8, missed: 'p6' });
  const { sums } = await inflict([stage], options());
  expect(sums['store']).toMatchObject({ recordings: 1, trials: 5, kills: 8, missed: ['p6 #1 after'] });
  expect(new Set(sums['store']?.struck)).toEqual(new Set(points(8).map((point) => `${point} after self`)));
  expect(held.at(-1)).toEqual([blow('p6')]);
});

it.each([3, 6, 25])('holds %d trials in all parts together when so many are wanted', async (trials) => {
  const parts = [played('store', { size: 8 }), played('runs', { size: 4 })];
  const { sums, wanted } = await inflict(
    parts.map(({ stage }) => stage),
    options({ trials }),
  );
  expect(wanted).toBe(trials);
  expect(Object.values(sums).map((sum) => sum.trials)).toSatisfy(
    (counts: number[]) => counts.reduce((all, each) => all + each, 0) === trials,
  );
  expect(sums['runs']?.trials).toBeGreaterThan(0);
});

it('chooses the same blows for the same seed, and others for another', async () => {
  const chosen = async (seed: number) => {
    const { stage, held } = played('store', { size: 30 });
    await inflict([stage], options({ seed, trials: 5 }));
    return JSON.stringify(held);
  };
  expect(await chosen(3)).toBe(await chosen(3));
  expect(await chosen(3)).not.toBe(await chosen(4));
});

it('begins nothing more once it is interrupted, and does not count what was cut off', async () => {
  const interruption = new AbortController();
  const { stage, held } = played('store', { size: 8 });
  const hold: Stage['hold'] = async (strikes, server) => {
    if (held.length === 3) interruption.abort('SIGINT');
    return stage.hold(strikes, server);
  };
  const { sums } = await inflict([{ ...stage, hold }], options({ signal: interruption.signal }));
  expect(held).toHaveLength(4);
  expect(sums['store']).toMatchObject({ recordings: 1, trials: 2, violations: [] });
});

it('pairs a blow of the earlier half of a recording with one of the later half, counted from the first', () => {
  const passages = passagesOf(['a', 'b']); // a#1 a#2 b#1 b#2
  expect(inPairs([blow('a', { passage: 2 }), blow('b', { passage: 2 }), blow('a')], passages)).toEqual([
    [blow('a'), blow('b', { passage: 2 })],
    [blow('a', { passage: 2 })],
  ]);
});

it('chains blows of the thirds of a recording, each counted from the one before it', () => {
  const [a, c1, c2, b] = ['a', 'c', 'c', 'b'].map((point, at) => passagesOf([point])[at === 2 ? 1 : 0]);
  const passages = [a, c1, b, c2].filter((passage) => passage !== undefined);
  const blows = [blow('c', { passage: 2 }), blow('a'), blow('b')];
  expect(inChains(blows, passages, 3)).toEqual([[blow('a'), blow('b'), blow('c')]]);
});
