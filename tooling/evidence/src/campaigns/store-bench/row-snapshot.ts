import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Contender, ContenderKind } from './contender.ts';
import { measuring, type Sample } from './measure.ts';
import { graphileOneByOne, pgBossOneByOne } from './peers.ts';
import { compare, figuresOf, linesOf, type Row, type RowFindings } from './row.ts';
import { describe, type FactContext, type Samples } from './rounds.ts';
import { seededStore } from './seeds.ts';

interface Sizes {
  rounds: number;
  warmMs: number;
  freeMs: number;
  heldMs: number;
  backlog: number;
}

const full: Sizes = { rounds: 2, warmMs: 500, freeMs: 4000, heldMs: 10_000, backlog: 100_000 };
const short: Sizes = { rounds: 1, warmMs: 50, freeMs: 60, heldMs: 80, backlog: 3000 };

const free = (name: string) => name;
const held = (name: string) => `${name}, old snapshot`;

/** Holds a snapshot as a slow report would, until `close`. */
async function holdSnapshot(url: string): Promise<{ close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM pg_class');
  return { close: () => client.end() };
}

/** While somebody's snapshot is old, no dead row of the queue's head can be cleared away. */
export const snapshotRow: Row = {
  name: 'snapshot',
  work: 'an old snapshot held open for 10 s, against none',
  async run(context) {
    const sizes = context.short ? short : full;
    const store = seededStore('store', { ready: sizes.backlog });
    const samples: Samples = new Map();
    for (const kind of [store, pgBossOneByOne, graphileOneByOne])
      if (context.wanted(kind.name)) await hold(context, { kind, sizes, samples });
    return findings(samples);
  },
};

async function hold(
  { server, short: isShort, say }: FactContext,
  options: { kind: ContenderKind; sizes: Sizes; samples: Samples },
): Promise<void> {
  const { kind, sizes, samples } = options;
  for (let round = 1; round <= sizes.rounds; round++) {
    const contender = await kind.open(await server.database('snapshot', kind), server);
    try {
      const [before, after] = await twice(contender, { server, sizes });
      for (const [name, sample] of [
        [free(kind.name), before],
        [held(kind.name), after],
      ] as const) {
        samples.set(name, [...(samples.get(name) ?? []), sample]);
        say(`  snapshot ${round}/${sizes.rounds} ${name}: ${describe(sample)}`);
      }
    } finally {
      await contender.close();
      await server.drop(contender.url, { isKept: isShort });
    }
  }
}

async function twice(
  contender: Contender,
  { server, sizes }: { server: FactContext['server']; sizes: Sizes },
): Promise<readonly [Sample, Sample]> {
  await contender.fill(sizes.backlog - (contender.ready ?? 0));
  const earlier = await contender.start();
  await delay(sizes.warmMs);
  await earlier.stop();
  await server.sql(contender.url, 'VACUUM (ANALYZE)');
  const { samples } = await measuring(server, contender, async (sample) => {
    await delay(sizes.warmMs);
    const before = await sample(sizes.freeMs);
    const snapshot = await holdSnapshot(contender.url);
    const after = await sample(sizes.heldMs);
    await snapshot.close();
    return [before, after] as const;
  });
  const [row] = await server.sql(contender.url, contender.leftSql);
  if (Number(row?.['left']) < 100) throw new Error(`${contender.name} ran out of jobs.`);
  return samples;
}

function findings(samples: Samples): RowFindings {
  const lost = (name: string, most?: number) =>
    compare(samples, [free(name), held(name)], {
      what: `${name}: rate without ÷ with an old snapshot`,
      measure: 'perSecond',
      ...(most === undefined ? {} : { most }),
    });
  return {
    // What the peers lose is theirs: it is there to compare.
    aims: [...lost('store', 1.5), ...lost('pg-boss'), ...lost('graphile-worker')],
    lines: linesOf(samples),
    figures: figuresOf(samples),
  };
}
