import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { openStore, type AuditHead } from '../src/index.ts';
import { draft } from './support/builders.ts';
import { noted, noteSql } from './support/notes.ts';
import { ownStore, type TestStore } from './support/store.ts';

const tables = ['change', 'step', 'step_move', 'log_entry', 'log_gap', 'archived_entity', 'task', 'run'];
const triggers = (what: 'DISABLE' | 'ENABLE') =>
  tables.map((table) => `ALTER TABLE ${table} ${what} TRIGGER USER`).join('; ');

/** What somebody may do who owns the server: no trigger looks. */
async function tamper(held: TestStore, text: string, values: unknown[] = []): Promise<void> {
  await held.sql(triggers('DISABLE'));
  await held.sql(text, values).finally(() => held.sql(triggers('ENABLE')));
}

/** Puts a log of what is there now in the place of the old one, as somebody does who knows how: every hash in it is right. */
async function rewriteWholeLog(held: TestStore): Promise<void> {
  const [made] = await held.sql(
    `SELECT sum(baton_size(c)) + 1 AS next, max(c.id) AS seen, array_agg(c.id ORDER BY c.id) AS ids,
       array_agg(baton_size(c) ORDER BY c.id) AS sizes, string_agg(baton_leaf(c), '' ORDER BY c.id) AS leaves FROM change c`,
  );
  await tamper(held, 'DELETE FROM log_entry');
  await tamper(
    held,
    `INSERT INTO log_entry (first, next, seen, ids, sizes, leaves, hash) VALUES (1, $1, $2, $3, $4, $5, baton_link(NULL, $1, $5))`,
    ['next', 'seen', 'ids', 'sizes', 'leaves'].map((column) => made?.[column]),
  );
}

async function closed(held: TestStore): Promise<string> {
  const { runId } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  return (await held.store.tasks.find('a', { runId })).id;
}

const breaks = async (held: TestStore, heads: AuditHead[] = []) =>
  (await held.store.audit.verify({ heads })).broken.map(({ what }) => what);

/** Where the log ends now; everything before holds. */
async function headOf(held: TestStore): Promise<AuditHead> {
  const { head, broken, unlogged } = await held.store.audit.verify();
  expect(broken).toEqual([]);
  expect(unlogged).toEqual({ events: 0, oldestMs: null });
  if (head === null) throw new TypeError('the log is empty');
  return head;
}

/** Two closed tasks, and the head that somebody noted between them. */
async function recorded(): Promise<{ held: TestStore & AsyncDisposable; id: string; head: AuditHead }> {
  const held = await ownStore();
  const id = await closed(held);
  const head = await headOf(held);
  await closed(held);
  expect(await breaks(held, [head])).toEqual([]);
  return { held, id, head };
}

const lost = 'the log before here was rewritten';

it.each([
  {
    what: 'a changed field',
    text: `UPDATE change SET actor = 'worker:innocent' WHERE task_id = $1 AND task_seq = 2`,
    found: ['changed since it was logged'],
  },
  {
    what: 'a changed time',
    text: `UPDATE change SET at = at - interval '1 microsecond' WHERE task_id = $1 AND task_seq = 2`,
    found: ['changed since it was logged'],
  },
  {
    what: 'another step',
    text: `UPDATE change SET step = (SELECT s.id FROM step s WHERE s.key LIKE 'task|OPEN|cancel|%' LIMIT 1) WHERE task_id = $1 AND task_seq = 2`,
    found: ['changed since it was logged', 'does not continue', 'beginning is missing'],
  },
  {
    what: 'a deleted change in the middle',
    text: 'DELETE FROM change WHERE task_id = $1 AND task_seq = 2',
    found: ['the change that was logged here is gone', 'gap', 'beginning is missing'],
  },
  {
    what: 'a deleted beginning',
    text: 'DELETE FROM change WHERE task_id = $1 AND task_seq = 0',
    found: ['the change that was logged here is gone', 'beginning is missing'],
  },
  {
    what: 'an inserted note that takes the place of an earlier one',
    text: `INSERT INTO change (id, step, task_id, task_seq, note, actor, reason, extra)
      SELECT -1, baton_step('task|||||refused||'), task_id, 2, 1, 'x', 'x', '{"event":"noted","state":"CLAIMED"}' FROM change WHERE task_id = $1 AND task_seq = 2`,
    found: ['not in the log'],
  },
])('finds $what, and when the whole log was rewritten to fit, by the head', async ({ text, found }) => {
  const { held, id, head } = await recorded();
  await using _ = held;
  await tamper(held, text, [id]);
  expect(await breaks(held)).toEqual(found);
  await rewriteWholeLog(held);
  const plain = new Set(['gap', 'beginning is missing', 'does not continue']);
  expect(await breaks(held)).toEqual(found.filter((what) => plain.has(what)));
  expect(await breaks(held, [head])).toContain('the log has no entry that ends here');
});

it('finds events that changed places, though each is as it was', async () => {
  const { held, id, head } = await recorded();
  await using _ = held;
  await tamper(
    held,
    `UPDATE change c SET id = -o.id FROM change o WHERE c.task_id = $1 AND o.task_id = $1
       AND (c.task_seq, o.task_seq) IN ((1, 2), (2, 1))`,
    [id],
  );
  await tamper(held, 'UPDATE change SET id = -id WHERE id < 0');
  expect(await breaks(held)).toEqual(['changed since it was logged', 'changed since it was logged']);
  // Also where the log has the ids in the new order.
  await tamper(
    held,
    `UPDATE log_entry l SET ids = (SELECT array_agg(CASE i.id WHEN s.a THEN s.b WHEN s.b THEN s.a ELSE i.id END ORDER BY i.n)
       FROM unnest(l.ids) WITH ORDINALITY AS i(id, n), (SELECT min(id) AS a, max(id) AS b FROM change
         WHERE task_id = $1 AND task_seq IN (1, 2)) s)`,
    [id],
  );
  expect(await breaks(held)).toEqual(['changed since it was logged', 'changed since it was logged']);
  await rewriteWholeLog(held);
  expect(await breaks(held)).toEqual([]);
  expect(await breaks(held, [head])).toHaveLength(1);
});

it('finds a changed leaf, a changed hash, a removed entry and a log that starts later', async () => {
  const { held } = await recorded();
  await using _ = held;
  const entries = await held.sql('SELECT next FROM log_entry ORDER BY next');
  expect(entries.length).toBeGreaterThan(1);
  const [first] = entries;
  await tamper(
    held,
    `UPDATE log_entry SET leaves = sha256('x') || substring(leaves FROM 33) WHERE next = $1`,
    [first?.['next']],
  );
  expect(await breaks(held)).toEqual(['an entry of the log was changed', 'changed since it was logged']);
  await tamper(held, `UPDATE log_entry SET hash = baton_link(NULL, next, leaves) WHERE next = $1`, [
    first?.['next'],
  ]);
  expect(await breaks(held)).toContain('an entry of the log was changed'); // the one after it
  await tamper(held, 'DELETE FROM log_entry WHERE next = $1', [first?.['next']]);
  expect(await breaks(held)).toContain('an entry of the log is missing');
});

it('finds a tail that was cut off with its log and its rows only by the head', async () => {
  const held = await ownStore();
  await using _ = held;
  await closed(held);
  const before = await headOf(held);
  const { runId } = await held.flow.open([draft('b')]);
  const later = await headOf(held);
  await tamper(held, 'DELETE FROM log_entry WHERE next > $1', [before.next]);
  await tamper(held, 'DELETE FROM change WHERE run_id = $1', [runId]);
  expect(await breaks(held)).toContain('row says running, history nothing');
  for (const table of ['task', 'budget'])
    await tamper(held, `DELETE FROM ${table} WHERE run_id = $1`, [runId]);
  await tamper(held, 'DELETE FROM run WHERE id = $1', [runId]);
  expect(await breaks(held)).toEqual([]);
  expect(await breaks(held, [before])).toEqual([]);
  expect(await breaks(held, [before, later])).toEqual(['the log is cut off before here']);
});

it('finds by the head a history that was rewritten with its log, entry by entry', async () => {
  const { held, id, head } = await recorded();
  await using _ = held;
  await tamper(held, `UPDATE change SET actor = 'worker:innocent' WHERE task_id = $1 AND task_seq = 2`, [id]);
  await tamper(
    held,
    `WITH RECURSIVE entry AS (SELECT l.*, row_number() OVER (ORDER BY l.next) AS n FROM log_entry l),
       anew AS (SELECT t.n, t.next, (SELECT string_agg(baton_leaf(c), '' ORDER BY i.n) FROM unnest(t.ids) WITH ORDINALITY i(id, n)
           JOIN change c ON c.id = i.id) AS leaves FROM entry t),
       chain AS (SELECT a.n, a.next, a.leaves, baton_link(NULL, a.next, a.leaves) AS hash FROM anew a WHERE a.n = 1
         UNION ALL SELECT a.n, a.next, a.leaves, baton_link(c.hash, a.next, a.leaves) FROM chain c JOIN anew a ON a.n = c.n + 1)
     UPDATE log_entry l SET leaves = c.leaves, hash = c.hash FROM chain c WHERE c.next = l.next`,
  );
  expect(await breaks(held)).toEqual([]);
  expect(await breaks(held, [head])).toEqual([lost]);
});

it('finds a row that says something else than its history', async () => {
  await using held = await ownStore();
  const { runId } = await held.flow.open([draft('a')]);
  await headOf(held);
  await tamper(held, `UPDATE run SET status = 'done' WHERE id = $1`, [runId]);
  expect(await breaks(held)).toEqual(['row says done, history running']);
});

it('finds an event that was committed late and kept out of the log', async () => {
  await using held = await ownStore();
  const { runId } = await held.flow.open([draft('a')]);
  const late = await held.connection();
  await late.query('BEGIN');
  await late.query(noteSql, await noted(held, 1));
  await held.flow.claim(runId);
  await headOf(held);
  await held.sql('DELETE FROM log_gap');
  await late.query('COMMIT');
  await late.end();
  expect(await breaks(held)).toEqual(['not in the log']);
});

it('raises no alarm over rolled back, late and slow transactions, and over a crash of the sequence', async () => {
  await using held = await ownStore();
  const { runId } = await held.flow.open(['a', 'b', 'c'].map((key) => draft(key)));
  const [a, b] = await noted(held, 2);
  const [slow, back] = [await held.connection(), await held.connection()];
  await back.query('BEGIN');
  await slow.query('BEGIN');
  await back.query(noteSql, [a]);
  await slow.query(noteSql, [b]);
  const heads: AuditHead[] = [];
  await held.flow.claim(runId);
  heads.push(await headOf(held));
  await back.query('ROLLBACK');
  await held.sql(`SELECT setval('change_id_seq', (SELECT last_value FROM change_id_seq) + 1000000000)`);
  await held.flow.claim(runId);
  heads.push(await headOf(held));
  await slow.query('COMMIT');
  heads.push(await headOf(held));
  await held.flow.claim(runId);
  heads.push(await headOf(held));
  expect(await breaks(held, heads)).toEqual([]);
  expect(new Set(heads.map(({ next }) => next)).size).toBe(4);
  const gaps = async () => (await held.sql('SELECT count(*)::int AS gaps FROM log_gap'))[0]?.['gaps'];
  await held.flow.open([draft('d')]);
  await until(async () => (await headOf(held), (await gaps()) === 0), {
    what: 'no transaction can fill the gaps',
  });
  const [count] = await held.sql('SELECT count(*)::int AS events FROM lifecycle_event');
  expect(await held.store.feed.position()).toBe(count?.['events']);
  await Promise.all([slow.end(), back.end()]);
});

it('logs with two sequencers at once each event once', async () => {
  await using held = await ownStore();
  const second = await openStore({ url: held.url });
  for (let round = 0; round < 10; round++) {
    await held.flow.open([draft('a'), draft('b')]);
    await Promise.all([held.store.feed.sequence(), second.feed.sequence(), second.feed.sequence()]);
  }
  await second.close();
  await headOf(held);
});

it('lets no hand write the log', async () => {
  const { held } = await recorded();
  await using _ = held;
  await expect(held.sql('DELETE FROM log_entry')).rejects.toThrow('append-only');
  await expect(held.sql('UPDATE log_entry SET seen = seen + 1')).rejects.toThrow('append-only');
  await expect(held.sql('TRUNCATE log_entry')).rejects.toThrow('append-only');
  const again = `INSERT INTO log_entry (first, next, seen, ids, sizes, leaves, hash)`;
  await expect(
    held.sql(
      `${again} SELECT first, next, seen, ids, sizes, leaves, hash FROM log_entry ORDER BY next LIMIT 1`,
    ),
  ).rejects.toThrow(/does not continue the log|duplicate key/);
  await expect(
    held.sql(
      `${again} SELECT max(next), max(next) + 1, max(seen) + 1, '{7}', '{1}', sha256('x'), sha256('y') FROM log_entry`,
    ),
  ).rejects.toThrow('does not continue the log');
  await expect(
    held.sql(`BEGIN; INSERT INTO log_gap (ids, until) VALUES ('{}', '3'); SELECT baton_log(1)`),
  ).rejects.toThrow('a transaction of its own');
  await held.sql('ROLLBACK');
  await headOf(held);
});

it('finds a step of the dictionary whose spelling was changed', async () => {
  const { held } = await recorded();
  await using _ = held;
  await tamper(held, `UPDATE step_move SET to_state = 'CLOSED' WHERE machine = 'task' AND to_state = 'DONE'`);
  expect(await breaks(held)).toContain('the dictionary was changed');
  await tamper(held, `DELETE FROM step_move; DELETE FROM step WHERE key LIKE '%|complete||DONE|%'`);
  expect(await breaks(held)).toContain('changed since it was logged');
});
