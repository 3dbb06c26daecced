import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { landable } from './lanes.sql.ts';

/** $1: attempt, $2: fence, $3: place. Where the head of an attempt lies, written down before it is DONE. */
export const placeHeadStatement = {
  name: 'place-head',
  text: 'UPDATE attempt SET head_place = $3::jsonb WHERE id = $1 AND fence = $2 AND ended_at IS NULL RETURNING id',
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/**
 * $1: attempt, $2: fence, $3: worker, $4: why, $5: ms before this worker may have it again, $6: whether it was the head that could not
 * be read. Gives an attempt back that this worker could not land.
 */
export const headMissedStatement = {
  name: 'head-missed',
  text: `UPDATE attempt a SET worker_id = NULL, lease_expires_at = NULL, head_missing_text = $4,
      head_missing_since = CASE WHEN $6::boolean THEN coalesce(a.head_missing_since, clock_timestamp()) END,
      head_missed = coalesce(a.head_missed, '{}')
        || jsonb_build_object($3::text, extract(epoch FROM clock_timestamp()) + $5::int / 1000.0)
    FROM task t WHERE a.id = $1 AND a.fence = $2 AND a.ended_at IS NULL AND t.id = a.task_id AND t.status = 'DONE'
    RETURNING a.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: attempt, $2: fence. Its head has been read: what was said of it before is void. */
export const headFoundStatement = {
  name: 'head-found',
  text: `UPDATE attempt SET head_missed = NULL, head_missing_since = NULL, head_missing_text = NULL
    WHERE id = $1 AND fence = $2 AND head_missed IS NOT NULL RETURNING id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** A living worker that may land it, could read it by what is written down, and has not looked in vain. */
const reader = `SELECT 1 FROM worker w WHERE w.status <> 'offline' AND w.heartbeat_at > clock_timestamp() - interval '2 minutes'
          AND (w.run_id IS NULL OR w.run_id = t.run_id) AND NOT coalesce(a.head_missed, '{}') ? w.id
          AND (coalesce(a.head_place->>'at', 'repository') = 'repository' OR a.head_place->>'host' = w.host)`;
/** Since when no worker has been able to read it: each look failed, or its host is silent. */
const unreadSince = `least(a.head_missing_since, CASE WHEN a.head_place->>'at' = 'clone' THEN
          greatest(a.done_at, (SELECT max(w.heartbeat_at) FROM worker w WHERE w.host = a.head_place->>'host')) END)`;

/**
 * $1: worker, $2: host, $3: lease in ms, $4: run or null, $5: bound in ms. Finished work that no worker could read for that long,
 * taken under a new fence; for ten times as long while a worker is there that might still read it.
 */
export const takeLostHeadsStatement = {
  name: 'take-lost-heads',
  text: `WITH lost AS (
      SELECT a.id, t.id AS task_id FROM task t JOIN attempt a ON a.task_id = t.id
      WHERE ${landable} AND (t.host IS NULL OR t.host = $2) AND ($4::uuid IS NULL OR t.run_id = $4)
        AND (a.worker_id IS NULL OR a.lease_expires_at < clock_timestamp())
        AND NOT EXISTS (SELECT 1 FROM landing i WHERE i.task_id = t.id AND i.confirmed_at IS NULL AND i.abandoned_at IS NULL)
        AND ${unreadSince} < clock_timestamp() - $5::int * interval '1 millisecond'
          * CASE WHEN EXISTS (${reader}) THEN 10 ELSE 1 END
      ORDER BY a.done_at, a.id LIMIT 20 FOR UPDATE OF t, a SKIP LOCKED),
    fenced AS (UPDATE task t SET fence = t.fence + 1 FROM lost WHERE t.id = lost.task_id RETURNING t.id, t.fence)
    UPDATE attempt a SET worker_id = $1, fence = fenced.fence,
      lease_expires_at = clock_timestamp() + $3::int * interval '1 millisecond'
    FROM lost JOIN fenced ON fenced.id = lost.task_id WHERE a.id = lost.id RETURNING a.id, a.head_missing_text AS text`,
  row: z.object({ id: z.string(), text: z.string().nullable() }),
  readonly: false,
} satisfies Statement;
