import { z } from 'zod';
import { idRow } from '../db/rows.ts';
import type { Statement } from '../db/statement.ts';

/** $1: tasks that were closed; gives those BLOCKED on them, by id or by key within the run */
export const blockedOnTasks = {
  name: 'blocked-on-tasks',
  text: `SELECT b.id FROM task b JOIN task c ON c.id = ANY ($1::uuid[]) AND c.run_id = b.run_id
    WHERE b.stage = 'BLOCKED' AND (b.blocked_on->>'task' = c.id::text OR b.blocked_on->>'task' = c.key)`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/** $1: parent */
export const childrenOfTasks = {
  name: 'children-of-task',
  text: 'SELECT id, key, status, settled FROM task WHERE parent_id = $1 ORDER BY created_at, id',
  row: z.object({ id: z.string(), key: z.string(), status: z.string(), settled: z.boolean() }),
  readonly: true,
} satisfies Statement;
