import type { Statement } from '../db/statement.ts';
import { idRow } from '../db/rows.ts';

/** $1: run, $2: tasks or null for all; those of them that wait for their plan to be approved */
export const plannedTasks = {
  name: 'planned-tasks',
  text: `SELECT id FROM task WHERE run_id = $1 AND stage = 'PLANNED' AND ($2::uuid[] IS NULL OR id = ANY ($2)) ORDER BY created_at, id`,
  row: idRow,
  readonly: true,
} satisfies Statement;
