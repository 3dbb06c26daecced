import { expect, test } from 'vitest';
import { playCheckout } from './campaigns/play-checkout.ts';

/** The last ones: modes that git is set not to see, objects replaced and hooks run by the person in the middle of a landing. */
const seeds = [...Array.from({ length: 11 }, (_, at) => 1_000 + at * 7), 3021, 3035, 3049, 9513, 9582, 9642];

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
