import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: worker, $2: lease in ms. By the database's clock; a lapsed lease without a new holder is renewed too. */
export const renewLeasesStatement = {
  name: 'renew-leases',
  text: `WITH renewed AS (UPDATE attempt a SET lease_expires_at = clock_timestamp() + $2::int * interval '1 millisecond'
      WHERE a.worker_id = $1 AND a.ended_at IS NULL RETURNING a.id, a.task_id)
    SELECT n.id FROM renewed n JOIN task t ON t.id = n.task_id WHERE t.cancel_requested`,
  row: z.object({ id: z.string() }),
  readonly: false,
  isIdempotent: true,
} satisfies Statement;

/** $1: worker; attempts that it held within the last hour and lost to somebody else or to the sweeper */
export const lostAttempts = {
  name: 'lost-attempts',
  text: `SELECT a.id FROM agent_session s JOIN attempt a ON a.session_id = s.id
    WHERE s.worker_id = $1 AND s.created_at > now() - interval '1 day' AND a.worker_id IS DISTINCT FROM $1
      AND (a.outcome = 'lease_lost' OR a.orphaned_at IS NOT NULL)`,
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;

/** $1: worker, $2: host, $3: lease in ms, $4: run or null. ORPHANED attempts, taken under a new fence; their own host first. What the worker took before and did not settle comes again. */
export const takeOrphansStatement = {
  name: 'take-orphans',
  text: `WITH free AS (
      SELECT a.id, t.id AS task_id FROM task t JOIN attempt a ON a.task_id = t.id AND a.ended_at IS NULL LEFT JOIN agent_session s ON s.id = a.session_id
      WHERE t.stage = 'ORPHANED' AND ($4::uuid IS NULL OR t.run_id = $4) AND (t.host IS NULL OR t.host = $2)
        AND (a.worker_id IS NULL OR a.worker_id = $1 OR a.lease_expires_at < clock_timestamp())
        AND (s.host IS NULL OR s.host = $2 OR a.orphaned_at < clock_timestamp() - $3::int * interval '1 millisecond')
      ORDER BY t.id LIMIT 20 FOR UPDATE OF t, a SKIP LOCKED),
    fenced AS (UPDATE task t SET fence = t.fence + 1 FROM free WHERE t.id = free.task_id RETURNING t.id, t.fence)
    UPDATE attempt a SET worker_id = $1, fence = fenced.fence, lease_expires_at = clock_timestamp() + $3::int * interval '1 millisecond'
    FROM free JOIN fenced ON fenced.id = free.task_id WHERE a.id = free.id RETURNING a.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;
