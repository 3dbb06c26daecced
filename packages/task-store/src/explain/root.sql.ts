import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: task; the task at the end of what it waits for: settled without having landed, or waiting for no other. */
export const dependencyRoot = {
  name: 'dependency-root',
  text: `WITH RECURSIVE up AS (
      SELECT d.id, d.settled, d.created_at FROM task_dependency e JOIN task d ON d.id = e.depends_on_id
        WHERE e.task_id = $1 AND NOT e.satisfied
      UNION SELECT d.id, d.settled, d.created_at FROM up JOIN task_dependency e ON e.task_id = up.id AND NOT e.satisfied
        JOIN task d ON d.id = e.depends_on_id WHERE NOT up.settled)
    SELECT up.id FROM up WHERE up.settled OR NOT EXISTS (
        SELECT 1 FROM task_dependency e WHERE e.task_id = up.id AND NOT e.satisfied)
      ORDER BY up.settled DESC, up.created_at, up.id LIMIT 1`,
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;
