import { setTimeout as delay } from 'node:timers/promises';
import { migrate, openStore } from '@baton/task-store';
import { inLoops } from './contender.ts';
import { startFeed } from './row-feed.ts';
import { round, type Row } from './row.ts';
import type { FactContext } from './rounds.ts';
import type { BenchServer } from './server.ts';
import { carryOut, fillStore, oneByOne } from './store-contender.ts';

const [byDefault, afterLogged] = ['store', 'store, answers after logged'];

/** From the moment a change is written to the entry of the log that chains it. */
const windowSql = `SELECT percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY extract(epoch FROM l.at - c.at) * 1000) AS ms
  FROM log_entry l CROSS JOIN LATERAL unnest(l.ids) AS i(id) JOIN change c ON c.id = i.id WHERE l.at > $1::timestamptz`;
const unchainedSql = 'SELECT count(*)::int AS changes FROM baton_unlogged WHERE actor = $1';

/** How long what was answered is not yet chained: with the feed's beat of 20 ms, and with `answerAfterLogged`. */
export const windowRow: Row = {
  name: 'window',
  work: 'from a change to its place in the log: while a feed is read every 20 ms, and with answers after it',
  async run(context) {
    const runMs = context.short ? 200 : 4000;
    const beat = context.wanted(byDefault) ? await besideFeed(context, runMs) : null;
    const option = context.wanted(afterLogged) ? await withOption(context, runMs) : null;
    const line = (contender: string, perSecond: string) => ({
      ...{ contender, perSecond, serverMs: '', clientMs: '', walBytes: '' },
    });
    return {
      aims:
        option === null
          ? []
          : [{ what: `${afterLogged}: changes not yet logged`, ratio: option.unchained, most: 0 }],
      lines: [
        ...(beat === null ? [] : [line(byDefault, `p50 ${beat.p50Ms} ms, p99 ${beat.p99Ms} ms`)]),
        ...(option === null
          ? []
          : [line(afterLogged, `${option.unchained} not yet logged after ${option.jobs} jobs`)]),
      ],
      figures: { ...(beat && { [byDefault]: beat }), ...(option && { [afterLogged]: option }) },
    };
  },
};

async function besideFeed({ server, short }: FactContext, runMs: number) {
  const url = await server.database('window', { usesStore: true });
  await migrate(url);
  const store = await openStore({ url, poolSize: server.claimers });
  await fillStore(store, { tasks: short ? 2000 : 20_000, name: 'window' });
  // What was created is a backlog that is not numbered yet, and no window.
  while ((await store.feed.sequence()) > 0);
  await server.sql(url, 'VACUUM (ANALYZE)');
  const feed = await startFeed(url);
  const work = oneByOne(store, server.claimers);
  await delay(runMs / 4);
  const [start] = await server.sql(url, 'SELECT clock_timestamp()::text AS at');
  await delay(runMs);
  await work.stop();
  await feed.stop();
  const [found] = await server.sql(url, windowSql, [start?.['at']]);
  const [p50, p99] = found?.['ms'] as number[];
  await store.close();
  await server.drop(url, { isKept: short });
  return { p50Ms: round(p50 ?? NaN), p99Ms: round(p99 ?? NaN) };
}

/** After each job its worker has no call under way: whatever it was told must be in the log. */
async function withOption({ server, short }: FactContext, runMs: number) {
  const url = await server.database('window', { usesStore: true });
  await migrate(url);
  const store = await openStore({ url, poolSize: 8, answerAfterLogged: true });
  await fillStore(store, { tasks: short ? 1000 : 10_000, name: 'window' });
  let unchained = 0;
  const work = inLoops(4, async (loop) => {
    const workerId = `bench-${loop}`;
    if (!(await carryOut(store, { workerId }))) return 0;
    unchained += await changesOf(server, { url, workerId });
    return 1;
  });
  await delay(runMs);
  await work.stop();
  const jobs = await work.done();
  await store.close();
  await server.drop(url, { isKept: short });
  return { jobs, unchained };
}

async function changesOf(server: BenchServer, { url, workerId }: { url: string; workerId: string }) {
  const [row] = await server.sql(url, unchainedSql, [`worker:${workerId}`]);
  return Number(row?.['changes']);
}
