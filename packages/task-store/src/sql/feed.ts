import { z } from 'zod';
import type { Statement } from '../db.ts';
import { eventRow, feedRow } from '../rows.ts';

/** Numbers committed events; 0 while another process does. */
export const sequenceStatement = {
  name: 'sequence',
  text: 'SELECT baton_sequence() AS numbered',
  row: z.object({ numbered: z.number() }),
  readonly: false,
} satisfies Statement;

const eventColumns = `f.position, e.id, e.machine, e.version, e.entity_id AS "entityId", e.run_id AS "runId", e.task_id AS "taskId",
  e.seq, e.from_state AS "from", e.to_state AS "to", e.event, e.alias, e.kind, e.actor, e.reason,
  e.transition_reason AS "transitionReason", e.abort_reason AS "abortReason", e.trigger, e.metadata, e.at, e.hash`;

const feedOf = `SELECT ${eventColumns}, t.key AS "taskKey", t.title AS "taskTitle"
  FROM feed_position f JOIN lifecycle_event e ON e.id = f.event_id LEFT JOIN task t ON t.id = e.task_id`;

/** $1: after this position, $2: limit */
export const readFeedStatement = {
  name: 'read-feed',
  text: `${feedOf} WHERE f.position > $1 ORDER BY f.position LIMIT $2`,
  row: feedRow,
  readonly: true,
} satisfies Statement;

/** $1: after this position, $2: limit, $3: run */
export const readRunFeedStatement = {
  name: 'read-run-feed',
  text: `${feedOf} WHERE f.position > $1 AND e.run_id = $3 ORDER BY f.position LIMIT $2`,
  row: feedRow,
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
  text: `SELECT ${eventColumns} FROM lifecycle_event e LEFT JOIN feed_position f ON f.event_id = e.id
    WHERE e.entity_id = $1 AND ($2::text IS NULL OR e.machine = $2) ORDER BY e.id`,
  row: eventRow,
  readonly: true,
} satisfies Statement;
