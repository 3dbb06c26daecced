import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: task; the task at the end of what it waits for, dependencies and its parts: settled without having landed, or waiting for no
 * other.
 */
export const dependencyRoot = {
  name: 'dependency-root',
  text: `WITH RECURSIVE up AS (
      SELECT t.id, t.settled, t.created_at FROM task t WHERE t.id = $1
      UNION SELECT d.id, d.settled, d.created_at FROM up CROSS JOIN LATERAL (
          SELECT e.depends_on_id AS id FROM task_dependency e WHERE e.task_id = up.id AND NOT e.satisfied
          UNION ALL SELECT c.id FROM task c WHERE c.parent_id = up.id AND NOT c.settled) n
        JOIN task d ON d.id = n.id WHERE NOT up.settled)
    SELECT up.id FROM up WHERE up.id <> $1 AND (up.settled OR NOT EXISTS (
        SELECT 1 FROM task_dependency e WHERE e.task_id = up.id AND NOT e.satisfied)
      AND NOT EXISTS (SELECT 1 FROM task c WHERE c.parent_id = up.id AND NOT c.settled))
      ORDER BY up.settled DESC, up.created_at, up.id LIMIT 1`,
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;
