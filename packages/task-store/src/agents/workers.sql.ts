import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { workerRow } from '../db/rows.ts';

/** $1: id, and what the worker says of itself in the order of the columns. The same one again takes the place of what it said before. */
export const registerStatement = {
  name: 'register-worker',
  text: `INSERT INTO worker (id, name, host, pid, pid_started, boot_id, capacity, labels, version, run_id, heartbeat_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, host = excluded.host, pid = excluded.pid, pid_started = excluded.pid_started,
      boot_id = excluded.boot_id, capacity = excluded.capacity, labels = excluded.labels, version = excluded.version,
      run_id = excluded.run_id, status = 'online', heartbeat_at = clock_timestamp(), withdrawn = '[]', expected_conflicts = '[]'
    RETURNING *, 0 AS silent_ms`,
  row: workerRow,
  readonly: false,
  isIdempotent: true,
} satisfies Statement;

/** $1: worker */
export const heartbeat = {
  name: 'heartbeat',
  text: 'UPDATE worker SET heartbeat_at = clock_timestamp() WHERE id = $1 RETURNING status, heartbeat_at AS at',
  row: z.object({ status: z.enum(['online', 'draining', 'offline']), at: z.coerce.date() }),
  readonly: false,
  isIdempotent: true,
} satisfies Statement;

/**
 * $1: worker that is gone. Its lanes and what it had taken to land or to settle are free at once, not when their leases lapse; its
 * agents' attempts end with their sessions.
 */
export const freeHeldByWorker = {
  name: 'free-held-by-worker',
  text: `WITH lanes AS (UPDATE lane SET worker_id = NULL, lease_expires_at = NULL WHERE worker_id = $1)
    UPDATE attempt a SET worker_id = NULL, lease_expires_at = NULL FROM task t
    WHERE a.worker_id = $1 AND a.ended_at IS NULL AND t.id = a.task_id AND t.status IN ('DONE', 'ORPHANED')`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** All of them, by name. */
export const selectWorkers = {
  name: 'select-workers',
  text: `SELECT *, greatest(0, floor(extract(epoch FROM clock_timestamp() - heartbeat_at) * 1000))::bigint AS silent_ms
    FROM worker ORDER BY name, id`,
  row: workerRow,
  readonly: true,
} satisfies Statement;

/** $1: worker, $2: status. Waits for claims of the worker that are under way. */
export const setWorker = {
  name: 'set-worker',
  text: 'SELECT baton_set_worker($1, $2) AS found',
  row: z.object({ found: z.boolean() }),
  readonly: false,
} satisfies Statement;

/** $1: worker, $2: agents that it cannot start */
export const setWithdrawnStatement = {
  name: 'set-withdrawn',
  text: 'UPDATE worker SET withdrawn = $2::jsonb WHERE id = $1',
  row: z.unknown(),
  readonly: false,
} satisfies Statement;
