import type { Store } from '../api/store.ts';
import { moveTasks } from '../apply/follow-up.ts';
import { reopenRun } from '../apply/move-run.ts';
import { query, type Db } from '../db/query.ts';
import { plannedTasks } from './approve-plan.sql.ts';

async function plannedOf(db: Db, runId: string, taskIds: string[] | undefined): Promise<string[]> {
  const rows = await query(db, plannedTasks, [runId, taskIds ?? null]);
  return rows.map(({ id }) => id);
}

export const approvePlan =
  (db: Db): Store['runs']['approvePlan'] =>
  async (runId, { taskIds, ...by }) => {
    const moved = await moveTasks(db, {
      ...by,
      taskIds: await plannedOf(db, runId, taskIds),
      move(plan, item) {
        if (plan.taskStatus(item) !== 'PLANNED') return false;
        plan.task(item, 'OPEN');
        return true;
      },
    });
    if (moved.length > 0) await reopenRun(db, runId, by);
    return moved.length;
  };

export const rejectPlan =
  (db: Db): Store['runs']['rejectPlan'] =>
  async (runId, { taskIds, ...by }) => {
    const moved = await moveTasks(db, {
      ...by,
      taskIds: await plannedOf(db, runId, taskIds),
      move(plan, item) {
        if (plan.taskStatus(item) !== 'PLANNED') return false;
        plan.task(item, 'CANCELLED');
        plan.patchTask(item, { settled: true });
        return true;
      },
    });
    return moved.length;
  };
