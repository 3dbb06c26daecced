import { z } from 'zod';
import type { Statement } from '../db.ts';

/**
 * $1: at rest for so many ms, $2: entities at most. The events that can leave, each as its row in JSON text, so that nothing of
 * it (64-bit numbers, microseconds) is lost on the way.
 */
export const archivableEvents = {
  name: 'archivable-events',
  text: `SELECT a.machine, a.entity_id AS "entityId", a.upto_seq AS "uptoSeq", a.upto_note AS "uptoNote", to_jsonb(e)::text AS line
    FROM baton_archivable($1::bigint * interval '1 millisecond', $2) a
    JOIN lifecycle_event e ON e.machine = a.machine AND e.entity_id = a.entity_id AND (e.seq, e.note) <= (a.upto_seq, a.upto_note)
    ORDER BY a.machine, a.entity_id, e.seq, e.note`,
  row: z.object({
    machine: z.string(),
    entityId: z.string(),
    uptoSeq: z.number(),
    uptoNote: z.number(),
    line: z.string(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: entities as JSON, each with the end of what was written to a file */
export const archiveStatement = {
  name: 'archive',
  text: 'SELECT baton_archive($1::jsonb) AS gone',
  row: z.object({ gone: z.object({ entities: z.number(), events: z.number() }) }),
  readonly: false,
} satisfies Statement;

/** Who has read least of the feed: nothing after that is archived. */
export const slowestReader = {
  name: 'slowest-reader',
  text: `SELECT c.name, c.position FROM cursor c WHERE c.position < (SELECT coalesce(max(next), 1) - 1 FROM log_entry) ORDER BY c.position, c.name LIMIT 1`,
  row: z.object({ name: z.string(), position: z.coerce.number() }),
  readonly: true,
} satisfies Statement;

/** $1: machine, $2: entity */
export const archivedBeforeStatement = {
  name: 'archived-before',
  text: 'SELECT state, upto_seq AS seq, events FROM archived_entity WHERE machine = $1 AND entity_id = $2',
  row: z.object({ state: z.string(), seq: z.number(), events: z.number() }),
  readonly: true,
} satisfies Statement;

/** Where the archived part of each entity ends, and how many events it has. */
export const archivedEnds = {
  name: 'archived-ends',
  text: `SELECT machine, entity_id AS "entityId", upto_seq AS seq, upto_note AS note, state, events FROM archived_entity ORDER BY machine, entity_id`,
  row: z.object({
    machine: z.string(),
    entityId: z.string(),
    seq: z.number(),
    note: z.number(),
    state: z.string(),
    events: z.number(),
  }),
  readonly: true,
} satisfies Statement;

/**
 * $1: events as JSON text, $2: where their entities are so far, as JSON. Archived events against their leaves and one another; those
 * that an export of the first record had left out have none.
 */
export const verifyArchived = {
  name: 'verify-archived',
  text: `WITH e AS (SELECT r.*, r AS event_row FROM unnest($1::text[]) x(line) CROSS JOIN LATERAL jsonb_populate_record(NULL::lifecycle_event, x.line::jsonb) r),
    bounds AS (SELECT min(id) AS lowest, max(id) AS highest FROM e),
    leaf AS (SELECT i.id, i.leaf FROM bounds b CROSS JOIN log_entry l CROSS JOIN LATERAL baton_leaves(l) i WHERE l.seen >= b.lowest AND i.id BETWEEN b.lowest AND b.highest),
    chained AS (SELECT e.*, lag(seq) OVER w AS seq_before, lag(note) OVER w AS note_before, lag(to_state) OVER w AS state_before
      FROM e WINDOW w AS (PARTITION BY machine, entity_id ORDER BY seq, note)),
    joined AS (SELECT c.machine, c.entity_id, c.seq, c.note, c.kind, c.from_state, c.to_state, baton_leaf(c.event_row) AS leaf, k.leaf AS leaf_logged, coalesce(a.events = (SELECT sum(upper(r) - lower(r)) FROM unnest(a.ids) AS r), false) AS all_logged,
        coalesce(c.seq_before, h.seq) AS seq_before, coalesce(c.note_before, h.note) AS note_before, coalesce(c.state_before, h.state) AS state_before
      FROM chained c LEFT JOIN leaf k ON k.id = c.id LEFT JOIN archived_entity a ON a.machine = c.machine AND a.entity_id = c.entity_id
        LEFT JOIN jsonb_to_recordset($2::jsonb) AS h("entityId" uuid, machine text, seq integer, note integer, state text)
        ON h.machine = c.machine AND h."entityId" = c.entity_id AND c.seq_before IS NULL)
    SELECT machine, entity_id AS "entityId", seq, note, to_state AS state, CASE
        WHEN leaf_logged IS NULL AND all_logged THEN 'archived event: the log does not have it'
        WHEN leaf_logged <> leaf THEN 'archived event: changed since it was logged'
        WHEN seq_before IS NULL AND NOT (seq = 0 AND kind = 'created' OR seq = 1 AND note = 0) THEN 'archived event: beginning is missing'
        WHEN seq_before IS NOT NULL AND NOT (seq = seq_before + 1 AND note = 0 OR seq = seq_before AND note = note_before + 1) THEN 'archived event: gap'
        WHEN seq_before IS NOT NULL AND from_state IS DISTINCT FROM state_before THEN 'archived event: does not continue'
      END AS what FROM joined ORDER BY machine, entity_id, seq, note`,
  row: z.object({
    machine: z.string(),
    entityId: z.string(),
    seq: z.number(),
    note: z.number(),
    state: z.string(),
    what: z.string().nullable(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. What agents streamed whose sessions are over. */
export const pruneAgentEvents = {
  name: 'prune-agent-events',
  text: `WITH gone AS (DELETE FROM agent_event WHERE id IN (SELECT v.id FROM agent_event v JOIN agent_session s ON s.id = v.session_id
      WHERE v.at < now() - $1::bigint * interval '1 millisecond' AND s.ended_at IS NOT NULL ORDER BY v.id LIMIT $2) RETURNING 1) SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. Logs of attempts that ended, of tasks that have been settled for so long. */
export const pruneCheckpoints = {
  name: 'prune-checkpoints',
  text: `WITH gone AS (DELETE FROM cognitive_checkpoint WHERE id IN (SELECT c.id FROM cognitive_checkpoint c JOIN attempt a ON a.id = c.attempt_id JOIN task t ON t.id = a.task_id
      WHERE t.settled AND greatest(c.at, a.ended_at, t.updated_at) < now() - $1::bigint * interval '1 millisecond' AND a.ended_at IS NOT NULL ORDER BY c.id LIMIT $2) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. Answers of commands that nobody repeats any more. */
export const pruneCommands = {
  name: 'prune-commands',
  text: `WITH gone AS (DELETE FROM command WHERE id IN (SELECT c.id FROM command c WHERE c.at < now() - $1::bigint * interval '1 millisecond' LIMIT $2) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
} satisfies Statement;
