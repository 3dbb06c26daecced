import type { TestStore } from './store.ts';
import { draft } from './builders.ts';

/** $1: task. Writes a note about it by hand, as a refused report would; returns the id of the change. */
export const noteSql = `INSERT INTO change (step, run_id, task_id, task_seq, note, actor, reason, extra)
  SELECT baton_step('task|||||refused||'), t.run_id, t.id, t.version, 1 + coalesce((SELECT max(c.note) FROM change c
    WHERE c.task_id = t.id AND c.task_seq = t.version), 0), 'test', 'test', jsonb_build_object('event', 'tried', 'state', t.status)
  FROM task t WHERE t.id = $1 RETURNING id`;

/** Ids of open tasks of a run of their own, to write notes about. */
export async function noted(held: TestStore, count: number): Promise<string[]> {
  const drafts = Array.from({ length: count }, (_, at) => draft(`noted-${at}`));
  const { tasks } = await held.flow.open(drafts);
  return tasks.map(({ id }) => id);
}
