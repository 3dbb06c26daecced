import { against, compare, figuresOf, linesOf, type Aim, type Row } from './row.ts';
import { interleave, spread, type Samples, type Sizes } from './rounds.ts';
import { graphileOneByOne, pgBossOneByOne } from './peers.ts';
import { sketch } from './sketch.ts';
import { hasPgbench, statementsFloor } from './statements-floor.ts';
import { storeContender } from './store-contender.ts';

/** A cap that no bench reaches: only the booking costs. */
const budgetMicroUsd = 1e15;

const names = { store: 'store', budget: 'store-budget', together: 'store-together' } as const;

const full: Sizes = { rounds: 5, warmMs: 500, windowMs: 2000, backlog: 30_000 };
const short: Sizes = { rounds: 1, warmMs: 50, windowMs: 60, backlog: 1500 };

/** What three statements for a job must reach: claim, launched with ready, done. Four are shown beside it. */
function aimsOf(samples: Samples): Aim[] {
  const mine = names.together;
  const log = samples.get(mine) ?? [];
  return [
    ...against(samples, mine, { peer: 'pg-boss', least: 1.4 }),
    ...against(samples, mine, { peer: 'graphile-worker', least: 0.6 }),
    ...compare(samples, [mine, 'pg-boss'], {
      what: `${mine}: server CPU per job ÷ pg-boss`,
      measure: 'serverMs',
      most: 0.6,
    }),
    { what: `${mine}: log bytes per job`, ratio: spread(log, 'walBytes').median, most: 4700 },
  ];
}

/** OPEN→CLAIMED→IN_PROGRESS→DONE, one task at a time. */
export const oneRow: Row = {
  name: 'one',
  work: 'one job at a time, 16 claimers in one process',
  async run(context) {
    const by = (await hasPgbench()) ? 'pgbench' : 'pg';
    const floor = statementsFloor(`${by}-statements`, by);
    const kinds = [
      storeContender(names.store),
      storeContender(names.budget, { run: { budgetMicroUsd } }),
      storeContender(names.together, { reporting: 'together' }),
      pgBossOneByOne,
      graphileOneByOne,
      floor,
      sketch,
    ];
    const { samples, broken } = await interleave(context, {
      row: 'one',
      kinds,
      sizes: context.short ? short : full,
    });
    const others = [names.store, names.budget].flatMap((mine) => [
      ...against(samples, mine, { peer: 'pg-boss' }),
      ...against(samples, mine, { peer: 'graphile-worker' }),
    ]);
    return {
      aims: [
        ...aimsOf(samples),
        ...others,
        ...against(samples, names.store, { peer: floor.name, least: 0.7 }),
      ],
      lines: linesOf(samples),
      figures: figuresOf(samples),
      broken,
    };
  },
};
