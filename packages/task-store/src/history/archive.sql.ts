import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: at rest for so many ms, $2: changes at most. The changes that can leave, each as its row in JSON text with its step's key, so
 * that nothing of it (64-bit numbers, microseconds) is lost on the way.
 */
export const archivableChanges = {
  name: 'archivable-changes',
  text: `SELECT c.id, (to_jsonb(c) || jsonb_build_object('key', s.key))::text AS line, e.entities
    FROM baton_archivable($1::bigint * interval '1 millisecond', $2) a(id) JOIN change c ON c.id = a.id JOIN step s ON s.id = c.step
      CROSS JOIN LATERAL (SELECT array_agg(e.machine || ' ' || e.entity_id) AS entities FROM baton_events(c) e) e
    ORDER BY c.id`,
  row: z.object({ id: z.string(), line: z.string(), entities: z.array(z.string()) }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** $1: ids of changes that were written to a file */
export const archiveStatement = {
  name: 'archive',
  text: 'SELECT baton_archive($1::bigint[]) AS gone',
  row: z.object({ gone: z.object({ entities: z.number(), events: z.number() }) }),
  readonly: false,
  isLong: true,
} satisfies Statement;

/** Who has read least of the feed: nothing after that is archived. */
export const slowestReader = {
  name: 'slowest-reader',
  text: `SELECT c.name, c.position FROM cursor c WHERE c.position < (SELECT coalesce(max(next), 1) - 1 FROM log_entry) ORDER BY c.position, c.name LIMIT 1`,
  row: z.object({ name: z.string(), position: z.coerce.number() }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** $1: machine, $2: entity */
export const archivedBeforeStatement = {
  name: 'archived-before',
  text: 'SELECT state, upto_seq AS seq, events FROM archived_entity WHERE machine = $1 AND entity_id = $2',
  row: z.object({ state: z.string(), seq: z.number(), events: z.number() }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** Where the archived part of each entity ends, and how many events it has. */
export const archivedEnds = {
  name: 'archived-ends',
  text: `SELECT machine, entity_id AS "entityId", upto_seq AS seq, events FROM archived_entity ORDER BY machine, entity_id`,
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number(), events: z.number() }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/**
 * $1: lines of files. The events of archived changes, each change against its leaf. Records before version 3 have single events, of
 * which the log has none.
 */
export const verifyArchived = {
  name: 'verify-archived',
  text: `WITH x AS (SELECT line::jsonb AS j FROM unnest($1::text[]) x(line)),
    c AS (SELECT jsonb_populate_record(NULL::change, x.j) AS change FROM x WHERE NOT x.j ? 'machine'),
    bounds AS (SELECT min((c.change).id) AS lowest, max((c.change).id) AS highest FROM c),
    leaf AS (SELECT i.id, i.leaf FROM bounds b CROSS JOIN log_entry l CROSS JOIN LATERAL baton_leaves(l) i WHERE l.seen >= b.lowest AND i.id BETWEEN b.lowest AND b.highest),
    e AS (SELECT e.machine, e.entity_id, e.seq, e.note, e.from_state, e.to_state, CASE
          WHEN k.leaf IS NULL THEN 'archived change: the log does not have it'
          WHEN k.leaf IS DISTINCT FROM baton_leaf(c.change) THEN 'archived change: changed since it was logged' END AS what
        FROM c CROSS JOIN LATERAL baton_events(c.change) e LEFT JOIN leaf k ON k.id = (c.change).id
      UNION ALL SELECT o.machine, o.entity_id, o.seq, o.note, o.from_state, o.to_state, NULL FROM x
        CROSS JOIN LATERAL jsonb_to_record(x.j) AS o(machine text, entity_id uuid, seq integer, note integer, from_state text, to_state text)
        WHERE x.j ? 'machine')
    SELECT machine, entity_id AS "entityId", seq, note, from_state AS "from", to_state AS "to", what FROM e ORDER BY machine, entity_id, seq, note`,
  row: z.object({
    machine: z.string(),
    entityId: z.string(),
    seq: z.number(),
    note: z.number(),
    from: z.string().nullable(),
    to: z.string(),
    what: z.string().nullable(),
  }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** $1: holes of archived histories, as JSON. Those that the database does not fill. */
export const unfilledHoles = {
  name: 'unfilled-holes',
  text: `SELECT h.machine, h."entityId", h.seq FROM jsonb_to_recordset($1::jsonb) AS h(machine text, "entityId" uuid, after integer, seq integer)
    WHERE (SELECT count(DISTINCT e.seq) FROM lifecycle_event e WHERE e.id IN (SELECT baton_changes_of(h."entityId"))
      AND e.entity_id = h."entityId" AND e.machine = h.machine AND e.seq > h.after AND e.seq < h.seq) < h.seq - h.after - 1 ORDER BY 1, 2, 3`,
  row: z.object({ machine: z.string(), entityId: z.string(), seq: z.number() }),
  readonly: true,
  isLong: true,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. What agents streamed whose sessions are over. */
export const pruneAgentEvents = {
  name: 'prune-agent-events',
  text: `WITH gone AS (DELETE FROM agent_event WHERE id IN (SELECT v.id FROM agent_event v JOIN agent_session s ON s.id = v.session_id
      WHERE v.at < now() - $1::bigint * interval '1 millisecond' AND s.ended_at IS NOT NULL ORDER BY v.id LIMIT $2) RETURNING 1) SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
  isLong: true,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. Logs of attempts that ended, of tasks that have been settled for so long. */
export const pruneCheckpoints = {
  name: 'prune-checkpoints',
  text: `WITH gone AS (DELETE FROM cognitive_checkpoint WHERE id IN (SELECT c.id FROM cognitive_checkpoint c JOIN attempt a ON a.id = c.attempt_id JOIN task t ON t.id = a.task_id
      WHERE t.settled AND greatest(c.at, a.ended_at, t.updated_at) < now() - $1::bigint * interval '1 millisecond' AND a.ended_at IS NOT NULL ORDER BY c.id LIMIT $2) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
  isLong: true,
} satisfies Statement;

/** $1: older than so many ms, $2: at most. Answers of commands that are no longer repeated. */
export const pruneCommands = {
  name: 'prune-commands',
  text: `WITH gone AS (DELETE FROM command WHERE id IN (SELECT c.id FROM command c WHERE c.at < now() - $1::bigint * interval '1 millisecond' LIMIT $2) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`,
  row: z.object({ gone: z.number() }),
  readonly: false,
  isLong: true,
} satisfies Statement;
