import { z } from 'zod';
import type { Statement } from '../db.ts';
import { eventRow } from '../rows.ts';

/** Numbers committed events; 0 while another process does. */
export const sequenceStatement = {
  name: 'sequence',
  text: 'SELECT baton_sequence() AS numbered',
  row: z.object({ numbered: z.number() }),
  readonly: false,
} satisfies Statement;

/** $1: after this position, $2: limit */
export const readFeedStatement = {
  name: 'read-feed',
  text: `SELECT f.position, e.* FROM feed_position f JOIN lifecycle_event e ON e.id = f.event_id WHERE f.position > $1 ORDER BY f.position LIMIT $2`,
  row: eventRow,
  readonly: true,
} satisfies Statement;

/** $1: after this position, $2: limit, $3: run */
export const readRunFeedStatement = {
  name: 'read-run-feed',
  text: `SELECT f.position, e.* FROM feed_position f JOIN lifecycle_event e ON e.id = f.event_id WHERE f.position > $1 AND e.run_id = $3 ORDER BY f.position LIMIT $2`,
  row: eventRow,
  readonly: true,
} satisfies Statement;

export const feedPositionStatement = {
  name: 'feed-position',
  text: 'SELECT coalesce(max(position), 0)::bigint AS position FROM feed_position',
  row: z.object({ position: z.coerce.number() }),
  readonly: true,
} satisfies Statement;

/** $1: entity, $2: machine or null */
export const historyStatement = {
  name: 'history',
  text: `SELECT f.position, e.* FROM lifecycle_event e LEFT JOIN feed_position f ON f.event_id = e.id
    WHERE e.entity_id = $1 AND ($2::text IS NULL OR e.machine = $2) ORDER BY e.id`,
  row: eventRow,
  readonly: true,
} satisfies Statement;

/** Recomputes every hash from the event before it of the same entity and machine. */
export const verifyAuditStatement = {
  name: 'verify-audit',
  text: `WITH chained AS (SELECT e.*, lag(e.hash) OVER w AS hash_before, lag(e.seq) OVER w AS seq_before, lag(e.note) OVER w AS note_before, lag(e.to_state) OVER w AS state_before,
      e::lifecycle_event AS event_row FROM lifecycle_event e WINDOW w AS (PARTITION BY e.machine, e.entity_id ORDER BY e.seq, e.note)),
    judged AS (SELECT machine, entity_id, seq, CASE
        WHEN hash <> baton_event_hash(coalesce(hash_before, ''), event_row) THEN 'hash'
        WHEN seq_before IS NULL AND NOT (seq = 0 AND kind = 'created' OR seq = 1 AND note = 0) THEN 'beginning is missing'
        WHEN seq_before IS NOT NULL AND NOT (seq = seq_before + 1 AND note = 0 OR seq = seq_before AND note = note_before + 1) THEN 'gap'
        WHEN seq_before IS NOT NULL AND from_state IS DISTINCT FROM state_before THEN 'does not continue'
      END AS what FROM chained)
    SELECT (SELECT count(*) FROM lifecycle_event)::int AS events, (SELECT count(*) FROM (SELECT DISTINCT machine, entity_id FROM lifecycle_event) x)::int AS entities,
      coalesce((SELECT jsonb_agg(jsonb_build_object('machine', machine, 'entityId', entity_id, 'seq', seq, 'what', what) ORDER BY machine, entity_id, seq)
        FROM judged WHERE what IS NOT NULL), '[]') AS broken`,
  row: z.object({
    events: z.number(),
    entities: z.number(),
    broken: z.array(
      z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() }),
    ),
  }),
  readonly: true,
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
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() }),
  readonly: true,
} satisfies Statement;
