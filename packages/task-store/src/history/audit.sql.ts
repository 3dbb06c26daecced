import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

const brokenRow = z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() });

/** What there is to check, where the log ends, and what it does not prove yet. */
export const auditFigures = {
  name: 'audit-figures',
  text: `SELECT (SELECT coalesce(sum(baton_size(c)), 0) FROM change c)::int AS events, (SELECT coalesce(sum(events), 0) FROM archived_entity)::int AS archived,
      (SELECT count(*) FROM (SELECT DISTINCT machine, entity_id FROM lifecycle_event) x)::int AS entities,
      (SELECT jsonb_build_object('next', l.next, 'hash', encode(l.hash, 'hex')) FROM log_entry l ORDER BY l.next DESC LIMIT 1) AS head,
      (SELECT jsonb_build_object('events', coalesce(sum(baton_size(u.change)), 0), 'oldestMs', floor(extract(epoch FROM clock_timestamp() - min((u.change).at)) * 1000))
        FROM (SELECT c AS change FROM baton_unlogged u JOIN change c ON c.id = u.id) u) AS unlogged`,
  row: z.object({
    events: z.number(),
    archived: z.number(),
    entities: z.number(),
    head: z.object({ next: z.number(), hash: z.string() }).nullable(),
    unlogged: z.object({ events: z.number(), oldestMs: z.number().nullable() }),
  }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** Entries of the log that do not follow the one before, or whose hash is not that of their leaves. */
export const auditEntries = {
  name: 'audit-entries',
  text: `SELECT 'log' AS machine, 'position' AS "entityId", first::int AS seq, CASE
        WHEN first <> coalesce(next_before, 1) THEN 'an entry of the log is missing'
        WHEN next <> first + baton_sum(sizes) OR cardinality(sizes) <> cardinality(ids) OR octet_length(leaves) <> 32 * cardinality(ids)
          OR seen < coalesce(seen_before, 0) OR hash <> baton_link(hash_before, next, leaves) THEN 'an entry of the log was changed' END AS what
    FROM (SELECT l.*, lag(next) OVER w AS next_before, lag(seen) OVER w AS seen_before, lag(hash) OVER w AS hash_before
      FROM log_entry l WINDOW w AS (ORDER BY next)) l
    WHERE first <> coalesce(next_before, 1) OR next <> first + baton_sum(sizes) OR cardinality(sizes) <> cardinality(ids) OR octet_length(leaves) <> 32 * cardinality(ids)
      OR seen < coalesce(seen_before, 0) OR hash <> baton_link(hash_before, next, leaves)
    ORDER BY next`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;

/** Where a change is found: the first thing that it moves, and its number afterwards. */
const placeOf = (change: string) =>
  `(SELECT jsonb_build_object('machine', e.machine, 'id', e.entity_id, 'seq', e.seq) FROM lifecycle_event e WHERE e.id = ${change}.id ORDER BY e.n LIMIT 1)`;

/** Each change is in the log once, as it is there, and each that the log has is there or has left for the archive. */
export const auditLeaves = {
  name: 'audit-leaves',
  text: `WITH logged AS MATERIALIZED (SELECT i.id, i.start AS position, i.size, i.leaf FROM log_entry l CROSS JOIN LATERAL baton_leaves(l) i),
    known AS MATERIALIZED (SELECT coalesce(range_agg(int8range(id, id, '[]')), '{}') AS ids FROM logged),
    twice AS MATERIALIZED (SELECT id, max(position) AS position FROM logged GROUP BY id HAVING count(*) > 1),
    gone AS MATERIALIZED (SELECT coalesce(range_agg(r), '{}') AS ids FROM archived_change a CROSS JOIN LATERAL unnest(a.ids) AS r),
    young AS MATERIALIZED (SELECT coalesce(range_agg(int8range(u.id, u.id, '[]')), '{}') AS ids FROM baton_unlogged u),
    found AS (SELECT c.id, 'changed since it was logged' AS what
        FROM logged k JOIN change c ON c.id = k.id WHERE k.leaf IS DISTINCT FROM baton_leaf(c) OR k.size IS DISTINCT FROM baton_size(c)
      UNION ALL SELECT c.id, 'not in the log'
        FROM change c CROSS JOIN known k CROSS JOIN young y WHERE NOT k.ids @> c.id AND NOT y.ids @> c.id)
    SELECT coalesce(p.at->>'machine', 'change') AS machine, coalesce(p.at->>'id', f.id::text) AS "entityId",
        coalesce((p.at->>'seq')::int, 0) AS seq, f.what
      FROM found f CROSS JOIN LATERAL (SELECT ${placeOf('f')} AS at OFFSET 0) p
    UNION ALL SELECT 'log', 'position', k.position::int, 'the change that was logged here is gone'
      FROM logged k CROSS JOIN gone g LEFT JOIN change c ON c.id = k.id WHERE c.id IS NULL AND NOT g.ids @> k.id
    UNION ALL SELECT 'log', 'position', t.position::int, 'the change is logged twice' FROM twice t
    ORDER BY 1, 2, 3`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;

/** The dictionary says of each step what its key spells. */
export const auditSteps = {
  name: 'audit-steps',
  text: `WITH spelled AS (SELECT m.* FROM (SELECT array_agg(s.id) AS ids, array_agg(s.key) AS keys FROM step s) s
      CROSS JOIN LATERAL baton_moves_of(s.ids, s.keys) m)
    SELECT DISTINCT 'step' AS machine, d.step::text AS "entityId", 0 AS seq, 'the dictionary was changed' AS what
    FROM ((SELECT * FROM spelled EXCEPT SELECT * FROM step_move) UNION ALL (SELECT * FROM step_move EXCEPT SELECT * FROM spelled)) d
    ORDER BY 2`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;

/** Each event continues the one before it of the same entity and machine, but where what is between them was archived. */
export const auditHistories = {
  name: 'audit-histories',
  text: `WITH chained AS (SELECT e.machine, e.entity_id, e.seq, e.note, e.kind, e.from_state, lag(e.seq) OVER w AS seq_before, lag(e.note) OVER w AS note_before,
        lag(e.to_state) OVER w AS state_before FROM lifecycle_event e WINDOW w AS (PARTITION BY e.machine, e.entity_id ORDER BY e.seq, e.note)),
    joined AS (SELECT c.*, a.state, a.upto_seq, CASE WHEN c.machine IN ('run', 'task', 'agent') THEN 0 ELSE 1 END AS beginning,
        coalesce(a.seqs @> int4range(coalesce(c.seq_before + 1, CASE WHEN c.machine IN ('run', 'task', 'agent') THEN 0 ELSE 1 END), c.seq), false) AS archived
      FROM chained c LEFT JOIN archived_entity a ON a.machine = c.machine AND a.entity_id = c.entity_id),
    judged AS (SELECT machine, entity_id, seq, CASE
        WHEN seq_before IS NULL AND seq = beginning AND (note > 0 OR beginning = 0 AND kind <> 'created') THEN 'beginning is missing'
        WHEN seq_before IS NULL AND seq > beginning AND NOT archived
          THEN CASE WHEN state IS NULL THEN 'beginning is missing' ELSE 'gap after the archived part' END
        WHEN seq_before IS NULL AND seq > beginning AND seq = upto_seq + 1 AND from_state IS DISTINCT FROM state THEN 'does not continue'
        WHEN seq_before IS NOT NULL AND seq > seq_before + 1 AND NOT archived THEN 'gap'
        WHEN seq_before IS NOT NULL AND seq = seq_before AND note <> note_before + 1 OR seq > seq_before AND note <> 0 THEN 'gap'
        WHEN seq_before IS NOT NULL AND seq <= seq_before + 1 AND from_state IS DISTINCT FROM state_before THEN 'does not continue'
      END AS what FROM joined
      UNION ALL SELECT a.machine, a.entity_id, a.upto_seq, 'its newest event is missing' FROM archived_entity a
        WHERE NOT EXISTS (SELECT 1 FROM chained c WHERE c.machine = a.machine AND c.entity_id = a.entity_id AND c.seq > a.upto_seq))
    SELECT machine, entity_id::text AS "entityId", seq, what FROM judged WHERE what IS NOT NULL ORDER BY 1, 2, 3`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;

/** Entities whose rows and newest events differ: cut tails, or rows changed behind the triggers' back. */
export const compareRows = {
  name: 'compare-rows',
  text: `WITH newest AS (SELECT DISTINCT ON (machine, entity_id) machine, entity_id, seq, to_state FROM lifecycle_event ORDER BY machine, entity_id, seq DESC, note DESC),
    rows AS (SELECT 'task' AS machine, id, version AS seq, status AS state FROM task
      UNION ALL SELECT 'turn', id, turn_seq, turn_status FROM attempt WHERE turn_seq > 0
      UNION ALL SELECT 'agent', id, status_seq, status FROM agent_session WHERE status IS NOT NULL
      UNION ALL SELECT 'execution', id, execution_seq, execution_state FROM agent_session WHERE execution_seq > 0
      UNION ALL SELECT 'run', id, seq, status FROM run)
    SELECT r.machine, r.id AS "entityId", r.seq, 'row says ' || r.state || ', history ' || coalesce(n.to_state, 'nothing') AS what
    FROM rows r LEFT JOIN newest n ON n.machine = r.machine AND n.entity_id = r.id
    WHERE n.to_state IS DISTINCT FROM r.state OR n.seq IS DISTINCT FROM r.seq ORDER BY 1, 2`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;

/** All that must hold of a record by itself, in the order in which breaks are listed. */
export const auditChecks = [auditEntries, auditLeaves, auditSteps, auditHistories, compareRows] as const;

/** $1: heads as JSON. Those that the log does not have. */
export const compareHeads = {
  name: 'compare-heads',
  text: `SELECT 'log' AS machine, 'position' AS "entityId", h.next::int AS seq, CASE
        WHEN l.next IS NOT NULL THEN 'the log before here was rewritten'
        WHEN h.next > coalesce((SELECT max(n.next) FROM log_entry n), 1) THEN 'the log is cut off before here'
        ELSE 'the log has no entry that ends here' END AS what
    FROM jsonb_to_recordset($1::jsonb) AS h(next bigint, hash text) LEFT JOIN log_entry l ON l.next = h.next
    WHERE encode(l.hash, 'hex') IS DISTINCT FROM h.hash ORDER BY h.next`,
  row: brokenRow,
  readonly: true,
  isLong: true,
} satisfies Statement;
