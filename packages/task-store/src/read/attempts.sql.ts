import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { attemptRow, date, repoRow, row, sessionRow } from '../db/rows.ts';

/** $1: task or null, $2: run or null, $3: session or null, $4: open, ended, or null for both, $5: the last one of the page before or null, $6: limit or null */
export const selectAttempts = {
  name: 'select-attempts',
  text: `SELECT * FROM attempt WHERE ($1::uuid IS NULL OR task_id = $1) AND ($2::uuid IS NULL OR run_id = $2) AND ($3::uuid IS NULL OR session_id = $3)
    AND ($4::boolean IS NULL OR (ended_at IS NULL) = $4)
    AND ($5::uuid IS NULL OR (created_at, number, place, id) > (SELECT c.created_at, c.number, c.place, c.id FROM attempt c WHERE c.id = $5))
    ORDER BY created_at, number, place, id LIMIT $6::int`,
  row: attemptRow,
  readonly: true,
} satisfies Statement;

/** $1: run or null, $2: worker or null, $3: host or null, $4: live, ended, or null for both, $5: the last one of the page before or null, $6: limit or null */
export const selectSessions = {
  name: 'select-sessions',
  text: `SELECT *, clock_timestamp() AS read_at FROM agent_session WHERE ($1::uuid IS NULL OR run_id = $1) AND ($2::text IS NULL OR worker_id = $2) AND ($3::text IS NULL OR host = $3)
    AND ($4::boolean IS NULL OR (ended_at IS NULL) = $4)
    AND ($5::uuid IS NULL OR (created_at, id) > (SELECT c.created_at, c.id FROM agent_session c WHERE c.id = $5)) ORDER BY created_at, id LIMIT $6::int`,
  row: sessionRow.and(row({ readAt: date })),
  readonly: true,
} satisfies Statement;

/** $1: id */
export const repoById = {
  name: 'repo-by-id',
  text: 'SELECT * FROM repo WHERE id = $1',
  row: repoRow,
  readonly: true,
} satisfies Statement;

/** $1: run or null. How many tasks stand where, and how far the feed is behind. */
export const countTasks = {
  name: 'count-tasks',
  text: `SELECT status AS name, count(*)::int AS count FROM task WHERE ($1::uuid IS NULL OR run_id = $1) GROUP BY status
    UNION ALL SELECT 'total', count(*)::int FROM task WHERE ($1::uuid IS NULL OR run_id = $1)
    UNION ALL SELECT 'settled', count(*)::int FROM task WHERE settled AND ($1::uuid IS NULL OR run_id = $1)
    UNION ALL SELECT 'ready', count(*)::int FROM task WHERE ready AND ($1::uuid IS NULL OR run_id = $1)
    UNION ALL SELECT 'unsequencedEvents', count(*)::int FROM baton_unlogged`,
  row: z.object({ name: z.string(), count: z.number() }),
  readonly: true,
} satisfies Statement;
