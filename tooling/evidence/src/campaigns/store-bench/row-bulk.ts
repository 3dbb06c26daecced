import { graphileBatched, pgBossWork } from './peers.ts';
import { against, figuresOf, linesOf, type Row } from './row.ts';
import { interleave } from './rounds.ts';
import { storeInBulk } from './store-in-bulk.ts';

const storeName = 'store, fifty a statement';

/** Many jobs a statement, against the peers' settings for throughput. */
export const bulkRow: Row = {
  name: 'bulk',
  work: 'OPEN→CLAIMED→IN_PROGRESS→DONE in bulk, with events, against peers in their batched settings',
  async run(context) {
    const { short } = context;
    const kinds = [
      { ...storeInBulk(storeName), backlog: short ? 2000 : 60_000 },
      pgBossWork,
      graphileBatched,
    ];
    const sizes = short
      ? { rounds: 1, warmMs: 20, windowMs: 60, backlog: 8_000 }
      : { rounds: 4, warmMs: 500, windowMs: 1500, backlog: 150_000 };
    const { samples, broken } = await interleave(context, { row: 'bulk', kinds, sizes });
    return {
      aims: [
        ...against(samples, storeName, { peer: 'pg-boss', mostCpu: 5 }),
        ...against(samples, storeName, { peer: 'graphile-worker' }),
      ],
      lines: linesOf(samples),
      figures: figuresOf(samples),
      broken,
    };
  },
};
