import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { eventRow, feedRow } from '../db/rows.ts';

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

/**
 * Events after position $1, in order; those that have left for the archive are passed over. Entries are opened one after the other,
 * as far as the page needs them, and each change and task is found by its key: OFFSET 0 keeps it so, and with it the order.
 */
const feedAfter = `SELECT i.start + e.n - 1 AS position, ${eventColumns}, t.key AS "taskKey", t.title AS "taskTitle"
  FROM (SELECT o.* FROM log_entry o WHERE o.next > $1::bigint + 1 ORDER BY o.next OFFSET 0) l
    CROSS JOIN LATERAL (SELECT i.id, i.start FROM baton_leaves(l) i WHERE i.start + i.size > $1::bigint + 1 OFFSET 0) i
    CROSS JOIN LATERAL (SELECT o.* FROM lifecycle_event o WHERE o.id = i.id AND i.start + o.n > $1::bigint + 1 ORDER BY o.n OFFSET 0) e
    LEFT JOIN LATERAL (SELECT o.key, o.title FROM task o WHERE o.id = e.task_id OFFSET 0) t ON true`;

/** $1: after this position, $2: limit */
export const readFeedStatement = {
  name: 'read-feed',
  text: `${feedAfter} LIMIT $2`,
  row: feedRow,
  readonly: true,
} satisfies Statement;

/** $1: after this position, $2: limit, $3: run */
export const readRunFeedStatement = {
  name: 'read-run-feed',
  text: `${feedAfter} WHERE e.run_id = $3 LIMIT $2`,
  row: feedRow,
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
