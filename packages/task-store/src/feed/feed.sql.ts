import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { eventRow, int, stepMoveRow } from '../db/rows.ts';

/** $1: changes at most, $2: wait while another process does it; else 0 is given then. Gives the events of committed changes their positions. */
export const logStatement = {
  name: 'log',
  text: 'SELECT baton_log($1, $2) AS logged',
  row: z.object({ logged: z.number() }),
  readonly: false,
} satisfies Statement;

const eventColumns = `e.id || '.' || e.n AS id, e.machine, e.version, e.entity_id AS "entityId", e.run_id AS "runId", e.task_id AS "taskId",
  e.seq, e.from_state AS "from", e.to_state AS "to", e.event, e.alias, e.kind, e.actor, e.reason,
  e.transition_reason AS "transitionReason", e.abort_reason AS "abortReason", e.trigger, e.metadata, e.at`;

const task = z.object({
  id: z.string().nullable(),
  key: z.string().nullable(),
  title: z.string().nullable(),
});
/** A change with the position of its first event. Comes with the names of the types: many are read, so nothing is renamed. */
export const feedChange = z.object({
  start: int,
  id: z.string(),
  at: z.date(),
  step: z.number(),
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  attemptId: z.string().nullable(),
  sessionId: z.string().nullable(),
  taskSeq: z.number().nullable(),
  turnSeq: z.number().nullable(),
  agentSeq: z.number().nullable(),
  executionSeq: z.number().nullable(),
  runSeq: z.number().nullable(),
  number: z.number().nullable(),
  fence: int.nullable(),
  actor: z.string(),
  reason: z.string(),
  transitionReason: z.string().nullable(),
  abortReason: z.string().nullable(),
  extra: z
    .object({
      state: z.string().optional(),
      event: z.string().optional(),
      trigger: z.string().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    })
    .nullable(),
  /** Key and title of its task; null: it is about no task, about a set, or about one that is gone. */
  taskKey: z.string().nullable(),
  taskTitle: z.string().nullable(),
  /** The tasks of a set, in order. */
  tasks: z.array(task).nullable(),
});

/**
 * Changes with events after position $1, in order; those that have left for the archive are passed over. Entries are opened one after
 * the other, as far as the page needs them, and each change and task is found by its key: OFFSET 0 keeps it so, and with it the order.
 */
const changesAfter = `SELECT i.start, c.id, c.at, c.step, c.run_id AS "runId", c.task_id AS "taskId", c.attempt_id AS "attemptId",
    c.session_id AS "sessionId", c.task_seq AS "taskSeq", c.turn_seq AS "turnSeq", c.agent_seq AS "agentSeq",
    c.execution_seq AS "executionSeq", c.run_seq AS "runSeq", c.number, c.fence, c.actor, c.reason,
    c.transition_reason AS "transitionReason", c.abort_reason AS "abortReason", c.extra, t.key AS "taskKey", t.title AS "taskTitle",
    CASE WHEN c.tasks IS NOT NULL THEN (SELECT json_agg(json_build_object('id', x.id, 'key', o.key, 'title', o.title) ORDER BY x.n)
      FROM unnest(c.tasks) WITH ORDINALITY AS x(id, n) LEFT JOIN task o ON o.id = x.id) END AS tasks
  FROM (SELECT o.* FROM log_entry o WHERE o.next > $1::bigint + 1 ORDER BY o.next OFFSET 0) l
    CROSS JOIN LATERAL (SELECT i.id, i.start FROM baton_leaves(l) i WHERE i.start + i.size > $1::bigint + 1 OFFSET 0) i
    CROSS JOIN LATERAL (SELECT o.* FROM change o WHERE o.id = i.id OFFSET 0) c
    LEFT JOIN LATERAL (SELECT o.key, o.title FROM task o WHERE o.id = c.task_id OFFSET 0) t ON true`;

/** $1: after this position, $2: changes at most */
export const readFeedStatement = {
  name: 'read-feed',
  text: `${changesAfter} LIMIT $2`,
  row: feedChange,
  readonly: true,
} satisfies Statement;

/** $1: after this position, $2: changes at most, $3: run */
export const readRunFeedStatement = {
  name: 'read-run-feed',
  text: `${changesAfter} WHERE c.run_id = $3 LIMIT $2`,
  row: feedChange,
  readonly: true,
} satisfies Statement;

/** $1: steps */
export const stepMovesStatement = {
  name: 'step-moves',
  text: `SELECT step, n, machine, version, from_state AS "from", to_state AS "to", event, alias, kind, trigger,
      transition_reason AS "transitionReason", back, carries FROM step_move WHERE step = ANY ($1::smallint[]) ORDER BY step, n`,
  row: stepMoveRow,
  readonly: true,
} satisfies Statement;

export const feedPositionStatement = {
  name: 'feed-position',
  text: 'SELECT (coalesce(max(next), 1) - 1)::bigint AS position FROM log_entry',
  row: z.object({ position: z.coerce.number() }),
  readonly: true,
} satisfies Statement;

/** $1: entity, $2: machine or null */
export const historyStatement = {
  name: 'history',
  text: `SELECT l.start + e.n - 1 AS position, ${eventColumns} FROM lifecycle_event e
    LEFT JOIN LATERAL (SELECT l.first + coalesce((SELECT sum(s) FROM unnest(l.sizes[:array_position(l.ids, e.id) - 1]) s), 0) AS start
      FROM log_entry l WHERE l.seen >= e.id AND e.id = ANY (l.ids) ORDER BY l.seen, l.next LIMIT 1) l ON true
    WHERE e.id IN (SELECT baton_changes_of($1)) AND e.entity_id = $1 AND ($2::text IS NULL OR e.machine = $2) ORDER BY e.id, e.n`,
  row: eventRow,
  readonly: true,
} satisfies Statement;
