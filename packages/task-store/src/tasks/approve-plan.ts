import type { Store } from '../api/store.ts';
import { moveTasks } from '../apply/follow-up.ts';
import { reopenRun } from '../apply/move-run.ts';
import { type Db, retried } from '../db/query.ts';

async function plannedOf(db: Db, runId: string, taskIds: string[] | undefined): Promise<string[]> {
  const rows = await retried(true, () =>
    db.prisma.task.findMany({
      where: { runId, status: 'PLANNED', ...(taskIds === undefined ? {} : { id: { in: taskIds } }) },
      select: { id: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  );
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
