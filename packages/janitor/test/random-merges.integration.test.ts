import { testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { playMerge } from './campaigns/play-merge.ts';

const seeds = Array.from({ length: testRounds({ short: 5, full: 24 }) }, (_, at) => at + 1);

test.skipIf(process.platform === 'darwin')(
  'work by chance that is merged onto a target by chance gives the tree that plain git gives, or a conflict',
  async () => {
    const found: string[] = [];
    const outcomes = new Set<string>();
    for (const seed of seeds) {
      const { outcome, problems } = await playMerge(seed);
      outcomes.add(outcome);
      found.push(...problems.map((one) => `${seed}: ${one}`));
    }
    expect(found).toEqual([]);
    expect([...outcomes]).toEqual(expect.arrayContaining(['clean clean', 'conflict conflict']));
  },
  300_000,
);
