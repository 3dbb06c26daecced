import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { taskRow } from '../db/rows.ts';

/** $1: id */
export const taskById = {
  name: 'task-by-id',
  text: 'SELECT * FROM task WHERE id = $1',
  row: taskRow,
  readonly: true,
} satisfies Statement;

/** $1: ids */
export const tasksById = {
  name: 'tasks-by-id',
  text: 'SELECT * FROM task WHERE id = ANY ($1::uuid[]) ORDER BY created_at, id',
  row: taskRow,
  readonly: true,
} satisfies Statement;

/** $1: run or null, $2: statuses or null, $3: role or null, $4: parent or null, $5: last task of the page before or null, $6: limit,
 * $7: settled, open, or null for both, $8: labels that it has all, or null, $9: part of its key or title, escaped for LIKE, or null */
export const listTasksStatement = {
  name: 'list-tasks',
  text: `SELECT * FROM task WHERE ($1::uuid IS NULL OR run_id = $1) AND ($2::text[] IS NULL OR status = ANY ($2))
    AND ($3::text IS NULL OR role = $3) AND ($4::uuid IS NULL OR parent_id = $4)
    AND ($5::uuid IS NULL OR (created_at, id) > (SELECT c.created_at, c.id FROM task c WHERE c.id = $5)) AND ($7::boolean IS NULL OR settled = $7)
    AND ($8::text[] IS NULL OR labels @> $8) AND ($9::text IS NULL OR key ILIKE '%' || $9 || '%' OR title ILIKE '%' || $9 || '%')
    ORDER BY created_at, id LIMIT $6`,
  row: taskRow,
  readonly: true,
} satisfies Statement;

/** $1: run */
export const dependenciesOfRun = {
  name: 'dependencies-of-run',
  text: `SELECT d.task_id AS "taskId", d.depends_on_id AS "dependsOnId" FROM task_dependency d JOIN task t ON t.id = d.task_id
    WHERE t.run_id = $1 ORDER BY t.created_at, t.id, d.depends_on_id`,
  row: z.object({ taskId: z.string(), dependsOnId: z.string() }),
  readonly: true,
} satisfies Statement;

/** $1: run */
export const tasksOfRunStatement = {
  name: 'tasks-of-run',
  text: 'SELECT * FROM task WHERE run_id = $1 ORDER BY created_at, id',
  row: taskRow,
  readonly: true,
} satisfies Statement;

/** $1: run */
export const keysOfRun = {
  name: 'keys-of-run',
  text: 'SELECT id, key FROM task WHERE run_id = $1',
  row: z.object({ id: z.string(), key: z.string() }),
  readonly: true,
} satisfies Statement;

/**
 * $1: id, key, or at least 6 characters of an id's beginning or end, $2: run's slug or id or null, $3: run or null.
 * fit: 1 the id, 2 the key (unsettled runs first, newest first), 3 a piece of the id.
 */
export const tasksByReference = {
  name: 'tasks-by-reference',
  text: `SELECT * FROM (SELECT t.id, t.run_id AS "runId", t.settled OR r.status IN ('done', 'failed', 'cancelled') AS settled,
      CASE WHEN t.id::text = $1 THEN 1 WHEN t.key = $1 AND ($2::text IS NOT NULL OR $4::text IS NULL OR p.location = $4) THEN 2
        WHEN length($1) >= 6 AND (starts_with(t.id::text, $1) OR right(t.id::text, length($1)) = $1) THEN 3 END AS fit, r.created_at
      FROM task t JOIN run r ON r.id = t.run_id JOIN repo p ON p.id = r.repo_id
      WHERE ($2::text IS NULL OR r.slug = $2 OR r.id::text = $2) AND ($3::uuid IS NULL OR t.run_id = $3)) x
    WHERE fit IS NOT NULL ORDER BY fit, settled, created_at DESC, id LIMIT 20`,
  row: z.object({ id: z.string(), runId: z.string(), settled: z.boolean(), fit: z.number() }),
  readonly: true,
} satisfies Statement;
