import { expect, it } from 'vitest';
import { runContention } from './campaigns/contention.ts';
import { testStore } from './support/store.ts';

const held = testStore();

it(
  'shares 120 tasks among 12 claimers in three processes: none twice, none lost, one event a move',
  { timeout: 180_000 },
  async () => {
    const figures = await runContention({ url: held.url, claimers: 12, tasks: 120, processes: 3, seed: 7 });
    expect(figures).toMatchObject({ holds: true, claimedTwice: 0, lost: 0, finishedTwice: 0, broken: 0 });
    expect(figures.claims).toBeGreaterThanOrEqual(120);
    expect(figures.taskMoves).toBe(figures.taskMovesExpected);
  },
);
