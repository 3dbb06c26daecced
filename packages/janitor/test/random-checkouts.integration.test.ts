import { testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { playCheckout } from './campaigns/play-checkout.ts';

/** The first ones: modes that git is set not to see, objects replaced and hooks run by the person in the middle of a landing. */
const known = [3021, 9513, 9582, 3035, 3049, 9642];
const seeds = [...known, ...Array.from({ length: 11 }, (_, at) => 1_000 + at * 7)].slice(
  0,
  testRounds({ short: 4, full: 17 }),
);

test.skipIf(process.platform === 'darwin')(
  'work that lands in a checkout that a person left by chance loses nothing of theirs and is what git gives',
  async () => {
    const found: string[] = [];
    const outcomes = new Set<string>();
    for (const seed of seeds) {
      const { acts, outcome, problems } = await playCheckout(seed);
      outcomes.add(outcome);
      found.push(...problems.map((one) => `${seed} [${acts.join(', ')}] ${outcome}: ${one}`));
    }
    expect(found).toEqual([]);
    expect([...outcomes]).toEqual(expect.arrayContaining(['moved', 'blocked']));
  },
  300_000,
);
