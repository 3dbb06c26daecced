import { z } from 'zod';
import { changesOfAnEntry } from '../feed/feed.ts';
import { isFirstLayout } from '../db/first-layout.ts';

/** Tables of records whose events were rows of their own: version 1 chained each entity, version 2 has a log over all events. */
const held = {
  lifecycle_event: 'past_event',
  archived_entity: 'past_archived',
  feed_position: 'past_position',
  log_entry: 'past_log',
} as const;
/** Tables of theirs that nothing is taken over of. */
const goneTables = new Set(['feed_queue', 'outbox']);
const plain = (name: string, text: string) => ({
  name,
  text,
  row: z.unknown(),
  readonly: false as const,
  isLong: true,
});

/** Was an export of version 1 or 2 made of the last schema that wrote such ones? */
export function isPastRecord(version: number, migrations: readonly string[]): boolean {
  const isBaseline = migrations.join() === '0001_baseline';
  if (version === 2) return isBaseline;
  const isLastStep = migrations.every(isFirstLayout) && migrations.at(-1) === '0027_waits';
  return version === 1 && (isBaseline || isLastStep);
}

/** Is this a table whose rows are put elsewhere, or nowhere? */
export const isPastTable = (name: string): boolean => name in held || goneTables.has(name);

/** Where the rows of a table are put until all are there; null: they are not needed. */
export const heldOf = (name: string): string | null => held[name as keyof typeof held] ?? null;

/** Before the rows: places for what is not as it was. */
export const beforeRows = Object.values(held).map((name) =>
  plain(`import-${name}`, `CREATE TEMP TABLE ${name} (line jsonb) ON COMMIT DROP`),
);

/** The key of the step that an event is by itself. */
const key = `CASE WHEN e.kind IN ('refused', 'late_report') THEN 'task|||||' || e.kind || '||'
    ELSE concat_ws('|', e.machine, coalesce(e.from_state, ''), e.event, coalesce(e.alias, ''), e.to_state, e.kind, '', '') END`;
const events = `(SELECT e.* FROM past_event p CROSS JOIN LATERAL jsonb_to_record(p.line) AS e(id bigint, at timestamptz, machine text,
    version integer, entity_id uuid, run_id uuid, task_id uuid, seq integer, note integer, from_state text, to_state text, event text, alias text,
    kind text, actor text, reason text, transition_reason text, abort_reason text, trigger text, metadata jsonb))`;

/** Events that no machine of this program makes. */
export const unknownEvents = {
  name: 'import-unknown-events',
  text: `SELECT e.machine, e.entity_id AS "entityId", e.seq, 'no move of its machine' AS what FROM ${events} e
    WHERE NOT EXISTS (SELECT 1 FROM step s WHERE s.key = ${key}) LIMIT 20`,
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() }),
  readonly: true,
  isLong: true,
};

/**
 * Where the log of version 2 does not hold: an entry that does not continue the one before it, an event that is not what was logged, or one
 * that is neither there nor archived. Version 1 has no such log.
 */
export const brokenLog = {
  name: 'import-broken-log',
  text: `WITH log AS MATERIALIZED (SELECT l.*, lag(l.next) OVER w AS next_before, lag(l.hash) OVER w AS hash_before
      FROM past_log p CROSS JOIN LATERAL jsonb_to_record(p.line) AS l(first bigint, next bigint, ids bigint[], leaves bytea, hash bytea)
      WINDOW w AS (ORDER BY l.next)),
    logged AS MATERIALIZED (SELECT i.id, l.first + i.n - 1 AS position, substring(l.leaves FROM (32 * (i.n - 1) + 1)::integer FOR 32) AS leaf
      FROM log l CROSS JOIN LATERAL unnest(l.ids) WITH ORDINALITY AS i(id, n)),
    gone AS MATERIALIZED (SELECT coalesce(range_agg(r), '{}') AS ids FROM past_archived p CROSS JOIN LATERAL unnest((p.line->>'ids')::int8multirange) AS r)
    SELECT 'log' AS machine, 'position' AS "entityId", first::int AS seq, 'an entry of the log was changed' AS what FROM log
      WHERE first <> coalesce(next_before, 1) OR next <> first + cardinality(ids) OR octet_length(leaves) <> 32 * cardinality(ids)
        OR hash <> baton_link(hash_before, next, leaves)
    UNION ALL SELECT e.machine, e.entity_id::text, e.seq, 'changed since it was logged' FROM logged k JOIN ${events} e ON e.id = k.id
      WHERE k.leaf IS DISTINCT FROM sha256(convert_to(ROW(e.id, e.machine, e.version, e.entity_id, e.run_id, e.task_id, e.seq, e.note,
        e.from_state, e.to_state, e.event, e.alias, e.kind, e.actor, e.reason, e.transition_reason, e.abort_reason,
        e.trigger, e.metadata)::text, 'UTF8') || timestamptz_send(e.at))
    UNION ALL SELECT 'log', 'position', k.position::int, 'the event that was logged here is gone' FROM logged k CROSS JOIN gone g
      WHERE NOT g.ids @> k.id AND NOT EXISTS (SELECT 1 FROM past_event p WHERE (p.line->>'id')::bigint = k.id)
    ORDER BY 1, 2, 3 LIMIT 100`,
  row: unknownEvents.row,
  readonly: true,
  isLong: true,
};

/** After the rows: each event is a change of its own, in the log in the order of their positions, and readers are at the same events. */
export const afterRows = [
  plain(
    'import-past-changes',
    `INSERT INTO change (id, at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, agent_seq, execution_seq, run_seq,
       note, actor, reason, transition_reason, abort_reason, extra)
     SELECT e.id, e.at, s.id, e.run_id, CASE e.machine WHEN 'task' THEN e.entity_id WHEN 'turn' THEN e.task_id END,
       CASE e.machine WHEN 'turn' THEN e.entity_id END, CASE WHEN e.machine IN ('agent', 'execution') THEN e.entity_id END,
       CASE e.machine WHEN 'task' THEN e.seq END, CASE e.machine WHEN 'turn' THEN e.seq END, CASE e.machine WHEN 'agent' THEN e.seq END,
       CASE e.machine WHEN 'execution' THEN e.seq END, CASE e.machine WHEN 'run' THEN e.seq END, nullif(e.note, 0), e.actor, e.reason,
       e.transition_reason, e.abort_reason, nullif(jsonb_strip_nulls(jsonb_build_object('trigger', e.trigger,
         'metadata', nullif(e.metadata, '{}'), 'event', CASE WHEN e.note > 0 THEN e.event END,
         'state', CASE WHEN e.note > 0 THEN e.to_state END)), '{}')
     FROM ${events} e JOIN step s ON s.key = ${key} ORDER BY e.id`,
  ),
  plain(
    'import-past-archived',
    `INSERT INTO archived_entity (machine, entity_id, seqs, upto_seq, state, events)
     SELECT a.machine, a.entity_id, int4multirange(int4range(CASE WHEN a.machine IN ('run', 'task', 'agent') THEN 0 ELSE 1 END,
       a.upto_seq, '[]')), a.upto_seq, a.state, a.events
     FROM past_archived p CROSS JOIN LATERAL jsonb_to_record(p.line) AS a(machine text, entity_id uuid, upto_seq integer, state text, events integer)`,
  ),
  plain(
    'import-past-positions',
    `CREATE TEMP TABLE past_place ON COMMIT DROP AS
     SELECT (p.line->>'position')::bigint AS position, (p.line->>'event_id')::bigint AS id FROM past_position p
     UNION ALL SELECT (p.line->>'first')::bigint + i.n - 1, i.id::bigint
       FROM past_log p CROSS JOIN LATERAL jsonb_array_elements_text(p.line->'ids') WITH ORDINALITY AS i(id, n)`,
  ),
  plain(
    'import-past-cursors',
    `UPDATE cursor c SET position = (SELECT count(*) FROM past_place f JOIN change e ON e.id = f.id WHERE f.position <= c.position)`,
  ),
  plain(
    'import-past-log',
    `DO $$
     DECLARE
       piece record;
       before bytea;
       place bigint := 1;
       looked bigint := 0;
     BEGIN
       FOR piece IN SELECT count(*) AS events, max(o.id) AS seen, array_agg(o.id ORDER BY o.n) AS ids, array_agg(1) AS sizes,
           string_agg(o.leaf, '' ORDER BY o.n) AS leaves
         FROM (SELECT c.id, baton_leaf(c) AS leaf, row_number() OVER (ORDER BY f.position NULLS LAST, c.id) AS n
           FROM change c LEFT JOIN past_place f ON f.id = c.id) o GROUP BY (o.n - 1) / ${changesOfAnEntry} ORDER BY min(o.n)
       LOOP
         looked := greatest(looked, piece.seen);
         before := baton_link(before, place + piece.events, piece.leaves);
         INSERT INTO log_entry (first, next, seen, ids, sizes, leaves, hash)
           VALUES (place, place + piece.events, looked, piece.ids, piece.sizes, piece.leaves, before);
         place := place + piece.events;
       END LOOP;
     END $$`,
  ),
];
