import { expect, it } from 'vitest';
import { until } from '@baton/testkit';
import type pg from 'pg';
import { openStore } from '../src/index.ts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { noted, noteSql } from './support/notes.ts';
import { testStore } from './support/store.ts';

const held = testStore();

/** Writes a note about a task, in the transaction of this connection; returns the id of its event. */
async function noteBy(client: pg.Client, taskId: string | undefined): Promise<string> {
  const { rows } = await client.query<{ id: string }>(noteSql, [taskId]);
  return `${rows[0]?.id}.1`;
}

it('numbers every committed event once, without gaps, whatever order transactions commit in', async () => {
  const [slow, quick] = [await held.connection(), await held.connection()];
  const [a, b] = await noted(held, 2);
  await slow.query('BEGIN');
  const early = await noteBy(slow, a);
  const late = await noteBy(quick, b);
  await held.store.feed.sequence();
  const first = await held.store.feed.read({ after: 0, limit: 1000 });
  expect(first.map((event) => event.id)).toContain(late);
  expect(first.map((event) => event.id)).not.toContain(early);
  await slow.query('COMMIT');
  await held.store.feed.sequence();
  const [next] = await held.store.feed.read({ after: (await held.store.feed.position()) - 1, limit: 10 });
  expect(next?.id).toBe(early);
  await Promise.all([slow.end(), quick.end()]);
});

it('reads from any position, also far behind the last', async () => {
  for (const after of [2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER - 1]) {
    expect(await held.store.feed.read({ after, limit: 10 })).toEqual([]);
    expect(await held.store.feed.read({ after, limit: 10, runId: crypto.randomUUID() })).toEqual([]);
  }
});

/** Writes and commits an event, and gives both sequencers time to forget an older one: twice, with the gap seen before. */
async function logNewer(client: pg.Client, taskId: string | undefined): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await noteBy(client, taskId);
    await held.store.feed.sequence();
  }
}

it('waits for an event whose transaction began after that of a newer one', async () => {
  const [older, younger, quick] = [await held.connection(), await held.connection(), await held.connection()];
  const [a, b, c] = await noted(held, 3);
  await older.query('BEGIN; SELECT pg_current_xact_id()');
  await younger.query('BEGIN');
  const early = await noteBy(younger, a);
  await noteBy(older, b);
  await older.query('COMMIT');
  await held.store.feed.sequence();
  await held.store.feed.sequence();
  await logNewer(quick, c);
  await younger.query('COMMIT');
  await held.store.feed.sequence();
  const [last] = await held.store.feed.read({ after: (await held.store.feed.position()) - 1, limit: 10 });
  expect(last?.id).toBe(early);
  await Promise.all([older, younger, quick].map((client) => client.end()));
});

it('waits for an event whose id was drawn long before its row was written', async () => {
  const [holder, slow, quick] = [await held.connection(), await held.connection(), await held.connection()];
  const [a, b] = await noted(held, 2);
  await holder.query('SELECT pg_advisory_lock(7)');
  // The sequence is written to disk once in 32 times, and that gives a number to a transaction, too.
  await until(
    async () => {
      await quick.query(`SELECT nextval('change_id_seq')`);
      const { rows } = await quick.query<{ left: number }>('SELECT log_cnt::int AS left FROM change_id_seq');
      return (rows[0]?.left ?? 0) > 5;
    },
    { what: 'the next draw is not written to disk' },
  );
  const written = slow.query<{ id: string }>(
    `INSERT INTO change (step, task_id, task_seq, note, actor, reason, extra)
     VALUES (baton_step('task|||||refused||'), $1, 1, 1, 'test', coalesce(pg_advisory_lock(7)::text, ''), '{"event":"tried","state":"OPEN"}')
     RETURNING id`,
    [a],
  );
  await until(
    async () =>
      (
        await quick.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 7 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).rows.length === 1,
    { what: 'the id is drawn and the row waits' },
  );
  await logNewer(quick, b);
  await holder.query('SELECT pg_advisory_unlock(7)');
  const early = `${(await written).rows[0]?.id}.1`;
  await held.store.feed.sequence();
  const [last] = await held.store.feed.read({ after: (await held.store.feed.position()) - 1, limit: 10 });
  expect(last?.id).toBe(early);
  await Promise.all([holder, slow, quick].map((client) => client.end()));
});

it('logs a backlog of more than one entry at once', async () => {
  const [id] = await noted(held, 1);
  while ((await held.store.feed.sequence()) > 0);
  const start = await held.store.feed.position();
  await held.sql('ALTER TABLE change DISABLE TRIGGER change_check');
  await held.sql(
    `INSERT INTO change (step, task_id, task_seq, note, actor, reason, extra)
     SELECT baton_step('task|||||refused||'), $1, 1, n, 'test', 'test', '{"event":"tried","state":"OPEN"}' FROM generate_series(1, 10050) n`,
    [id],
  );
  await held.sql('ALTER TABLE change ENABLE TRIGGER change_check');
  expect(await held.store.feed.sequence()).toBe(10_050);
  expect(await held.store.feed.position()).toBe(start + 10_050);
  const page = await held.store.feed.read({ after: start + 1_998, limit: 4 });
  expect(page.map(({ position }) => Number(position) - start)).toEqual([1_999, 2_000, 2_001, 2_002]);
});

it('loses no event while eight writers commit and two sequencers compete', async () => {
  const before = await held.store.feed.position();
  const second = await openStore({ url: held.url });
  let writing = true;
  const sequencer = async (store: typeof second) => {
    while (writing) await store.feed.sequence();
  };
  const running = [sequencer(held.store), sequencer(second)];
  const writer = async (n: number) => {
    const { runId } = await held.flow.open(
      Array.from({ length: 10 }, (_, at) => draft(`w${n}-${at}`)),
      { batchSize: 1 },
    );
    while ((await held.store.claims.claimBatch(request({ runId, workerId: `w${n}` }))) !== null);
    return runId;
  };
  const runIds = await Promise.all(Array.from({ length: 8 }, (_, n) => writer(n)));
  writing = false;
  await Promise.all(running);
  while ((await held.store.feed.sequence()) > 0);
  const feed = await held.store.feed.read({ after: before, limit: 10_000 });
  expect(feed.map((event) => event.position)).toEqual(feed.map((_, at) => before + 1 + at));
  const [count] = await held.sql('SELECT count(*)::int AS events FROM lifecycle_event');
  expect(await held.store.feed.position()).toBe(count?.['events']);
  const run = await held.store.feed.read({ after: 0, limit: 1000, runId: runIds[0] ?? '' });
  // The run, then each task created, approved and claimed, and its turn begun.
  expect(run).toHaveLength(1 + 10 * 4);
  await second.close();
});

it('wakes a listener in another process of the store soon after work appears', async () => {
  const other = await openStore({ url: held.url });
  let woken = 0;
  const stop = await other.feed.onWake('work', () => {
    woken++;
  });
  await until(() => woken > 0, { what: 'the listener is connected' });
  const seen = woken;
  const { run } = await held.store.runs.create(runDraft([draft('a')]), by);
  await held.store.runs.approvePlan(run.id, by);
  await until(() => woken > seen, { what: 'the listener is woken' });
  await stop();
  await other.close();
});

it('notifies of an addition at once, and of one on its heels soon after', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const listener = await held.connection();
  const heard: string[] = [];
  let lastMs = performance.now();
  listener.on('notification', ({ channel }) => {
    heard.push(channel);
    lastMs = performance.now();
  });
  await listener.query('LISTEN baton_work; LISTEN baton_events');
  await until(() => performance.now() - lastMs > 100, { what: 'what was told before is heard' });
  heard.length = 0;
  const add = (key: string) => held.store.tasks.add(runId, { ...by, drafts: [draft(key)], planned: false });
  await add('first');
  await until(() => new Set(heard).size === 2, { what: 'workers and readers of events are told' });
  await until(() => performance.now() - lastMs > 100, { what: 'it is quiet again' });
  heard.length = 0;
  await add('second');
  await add('third');
  await until(() => heard.filter((channel) => channel === 'baton_work').length === 2, {
    what: 'workers are told of both',
  });
  await listener.end();
});

it('keeps events as they were written, and finds what was tampered with', async () => {
  await held.flow.open([draft('a')]);
  await expect(held.sql(`UPDATE change SET reason = 'other'`)).rejects.toThrow('append-only');
  await expect(held.sql('DELETE FROM change')).rejects.toThrow('append-only');
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
  await held.sql('ALTER TABLE change DISABLE TRIGGER change_keep');
  const newest = '(SELECT max(id) FROM change WHERE task_seq IS NOT NULL)';
  await held.sql(`UPDATE change SET actor = 'somebody else' WHERE id = ${newest}`);
  const audit = await held.store.audit.verify();
  expect(audit.broken.map(({ what }) => what)).toEqual(['changed since it was logged']);
  await held.sql(`DELETE FROM change WHERE id = ${newest}`);
  expect((await held.store.audit.verify()).broken.map(({ what }) => what)).toEqual([
    'the change that was logged here is gone',
    'row says OPEN, history PLANNED',
  ]);
});
