import { z } from 'zod';
import type { Statement } from '../db.ts';

const brokenRow = z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), what: z.string() });

/** Recomputes every hash from the event before it of the same entity and machine, or from where its archived part ends. */
export const verifyAuditStatement = {
  name: 'verify-audit',
  text: `WITH chained AS (SELECT e.*, lag(e.hash) OVER w AS hash_before, lag(e.seq) OVER w AS seq_before, lag(e.note) OVER w AS note_before, lag(e.to_state) OVER w AS state_before,
      e::lifecycle_event AS event_row FROM lifecycle_event e WINDOW w AS (PARTITION BY e.machine, e.entity_id ORDER BY e.seq, e.note)),
    joined AS (SELECT c.machine, c.entity_id, c.seq, c.note, c.kind, c.hash, c.from_state, c.event_row, a.machine IS NOT NULL AND c.seq_before IS NULL AS from_archive,
        coalesce(c.hash_before, a.last_hash) AS hash_before, coalesce(c.seq_before, a.upto_seq) AS seq_before, coalesce(c.note_before, a.upto_note) AS note_before,
        coalesce(c.state_before, a.state) AS state_before
      FROM chained c LEFT JOIN archived_entity a ON a.machine = c.machine AND a.entity_id = c.entity_id AND c.seq_before IS NULL),
    judged AS (SELECT machine, entity_id, seq, CASE
        WHEN hash <> baton_event_hash(coalesce(hash_before, ''), event_row) THEN 'hash'
        WHEN seq_before IS NULL AND NOT (seq = 0 AND kind = 'created' OR seq = 1 AND note = 0) THEN 'beginning is missing'
        WHEN seq_before IS NOT NULL AND NOT (seq = seq_before + 1 AND note = 0 OR seq = seq_before AND note = note_before + 1)
          THEN CASE WHEN from_archive THEN 'gap after the archived part' ELSE 'gap' END
        WHEN seq_before IS NOT NULL AND from_state IS DISTINCT FROM state_before THEN 'does not continue'
      END AS what FROM joined
      UNION ALL SELECT a.machine, a.entity_id, a.upto_seq, 'its stub is missing' FROM archived_entity a
        WHERE NOT EXISTS (SELECT 1 FROM lifecycle_event e WHERE e.machine = a.machine AND e.entity_id = a.entity_id))
    SELECT (SELECT count(*) FROM lifecycle_event)::int AS events, (SELECT coalesce(sum(events), 0) FROM archived_entity)::int AS archived,
      (SELECT count(*) FROM (SELECT DISTINCT machine, entity_id FROM lifecycle_event) x)::int AS entities,
      coalesce((SELECT jsonb_agg(jsonb_build_object('machine', machine, 'entityId', entity_id, 'seq', seq, 'what', what) ORDER BY machine, entity_id, seq)
        FROM judged WHERE what IS NOT NULL), '[]') AS broken`,
  row: z.object({
    events: z.number(),
    archived: z.number(),
    entities: z.number(),
    broken: z.array(brokenRow),
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
  row: brokenRow,
  readonly: true,
} satisfies Statement;

/** $1, $2: machine and entity of the last head before, or nulls, $3: limit. The newest event of each entity. */
export const auditHeadsStatement = {
  name: 'audit-heads',
  text: `SELECT DISTINCT ON (machine, entity_id) machine, entity_id AS "entityId", seq, note, hash FROM lifecycle_event
    WHERE $1::text IS NULL OR (machine, entity_id) > ($1, $2::uuid) ORDER BY machine, entity_id, seq DESC, note DESC LIMIT $3`,
  row: z.object({
    machine: z.string(),
    entityId: z.string(),
    seq: z.number(),
    note: z.number(),
    hash: z.string(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: heads as JSON. Those that the record does not hold any more; `archived` are those whose event has left for the archive. */
export const compareHeads = {
  name: 'compare-heads',
  text: `SELECT h.machine, h.entity_id AS "entityId", h.seq, h.note, h.hash, CASE
        WHEN e.hash IS NOT NULL THEN 'changed'
        WHEN (h.seq, h.note) = (a.upto_seq, a.upto_note) AND h.hash <> a.last_hash THEN 'changed'
        WHEN (h.seq, h.note) <= (a.upto_seq, a.upto_note) THEN 'archived'
        WHEN EXISTS (SELECT 1 FROM lifecycle_event n WHERE n.machine = h.machine AND n.entity_id = h.entity_id) THEN 'the end of its history is cut off'
        ELSE 'its history is gone' END AS what
    FROM jsonb_to_recordset($1::jsonb) AS h(machine text, entity_id uuid, seq integer, note integer, hash text)
    LEFT JOIN lifecycle_event e ON e.machine = h.machine AND e.entity_id = h.entity_id AND e.seq = h.seq AND e.note = h.note
    LEFT JOIN archived_entity a ON a.machine = h.machine AND a.entity_id = h.entity_id
    WHERE e.hash IS DISTINCT FROM h.hash AND NOT coalesce((h.seq, h.note) = (a.upto_seq, a.upto_note) AND h.hash = a.last_hash, false)`,
  row: brokenRow.extend({ note: z.number(), hash: z.string() }),
  readonly: true,
} satisfies Statement;
