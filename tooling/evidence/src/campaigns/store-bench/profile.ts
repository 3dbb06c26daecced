import { setTimeout as delay } from 'node:timers/promises';
import { round, type Line, type Row } from './row.ts';
import type { ContenderKind } from './contender.ts';
import { creating } from './row-create.ts';
import { startBenchServer, type BenchServer } from './server.ts';
import { storeInBulk } from './store-in-bulk.ts';
import { storeContender } from './store-contender.ts';

const settings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
  track_functions: 'all',
};

const statementsSql = `SELECT regexp_replace(left(query, 200), '\\s+', ' ', 'g') AS what, toplevel, calls::float8, total_exec_time + total_plan_time AS ms,
    total_plan_time AS planning_ms, wal_bytes::float8
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  ORDER BY toplevel DESC, ms DESC`;
const functionsSql = `SELECT funcname AS what, calls::float8, total_time AS ms, self_time FROM pg_stat_user_functions ORDER BY self_time DESC`;

const subjects: readonly ContenderKind[] = [
  storeContender('store'),
  storeContender('store-together', { reporting: 'together' }),
  storeInBulk('store-bulk'),
  storeContender('store-budget', { run: { budgetMicroUsd: 1e15 } }),
  creating('store', { name: 'create', jobs: 1 }),
  creating('store', { name: 'create-batches', jobs: 1000, loops: 4 }),
];

/** Where the store's time goes on the server: by statement (nested ones too) and by function. Not part of the claim. */
export const profileRow: Row = {
  name: 'profile',
  work: 'the store alone: time by statement and by function',
  async run({ short, say, wanted }) {
    await using server = await startBenchServer({ settings });
    say('  times are per job; "client" stands for planning (statements) or for all with callees (functions)');
    const lines: Line[] = [];
    for (const kind of subjects.filter(({ name }) => wanted(name)))
      lines.push(...(await profile(server, kind, { short })));
    return { aims: [], lines, figures: {} };
  },
};

async function profile(
  server: BenchServer,
  kind: ContenderKind,
  { short }: { short: boolean },
): Promise<Line[]> {
  const url = await server.database('profile');
  const contender = await kind.open(url, server);
  try {
    await contender.fill(short ? 500 : 10_000);
    // Statistics of empty tables would make plans that no real database has.
    const earlier = await contender.start();
    await delay(short ? 100 : 500);
    await earlier.stop();
    await server.sql(url, 'VACUUM (ANALYZE)');
    await server.sql(url, 'CREATE EXTENSION pg_stat_statements');
    const work = await contender.start();
    await delay(short ? 100 : 1500);
    await server.sql(url, 'SELECT pg_stat_statements_reset()');
    await server.sql(url, 'SELECT pg_stat_reset()');
    const before = await work.done();
    await delay(short ? 300 : 4000);
    const statements = await server.sql(url, statementsSql);
    const jobs = (await work.done()) - before;
    await work.stop();
    // The counters of functions reach the shared table when a backend is idle.
    await delay(1500);
    const functions = await server.sql(url, functionsSql);
    const all = [
      ...statements.map((row) => lineOf(row, { jobs, kind: row['toplevel'] === true ? '' : '  in: ' })),
      ...functions.map((row) => functionLine(row, jobs)),
    ];
    const dear = all.filter(({ serverMs }) => Number(serverMs) >= 0.001);
    return [{ ...nothing, contender: `── ${kind.name}: ${jobs} jobs` }, ...dear];
  } finally {
    await contender.close();
    await server.drop(url);
  }
}

const nothing = { perSecond: '', serverMs: '', clientMs: '', walBytes: '' };

function lineOf(row: Record<string, unknown>, { jobs, kind }: { jobs: number; kind: string }): Line {
  return {
    contender: `${kind}${String(row['what']).slice(0, 90)}`,
    perSecond: `${round(Number(row['calls']) / jobs)} calls`,
    serverMs: (Number(row['ms']) / jobs).toFixed(4),
    clientMs: (Number(row['planning_ms']) / jobs).toFixed(4),
    walBytes: (Number(row['wal_bytes']) / jobs).toFixed(0),
  };
}

function functionLine(row: Record<string, unknown>, jobs: number): Line {
  return {
    contender: `${String(row['what'])}() by itself`,
    perSecond: `${round(Number(row['calls']) / jobs)} calls`,
    serverMs: (Number(row['self_time']) / jobs).toFixed(4),
    clientMs: (Number(row['ms']) / jobs).toFixed(4),
    walBytes: '',
  };
}
