import { BatonError } from '@baton/contracts';
import type { Store } from './api.ts';
import { apply } from './apply.ts';
import type { Change } from './change.ts';
import { orNotFound, query, queryOne, retried, type Db } from './db.ts';
import { listed } from './lists.ts';
import { pageLimit, readCursor, toPage } from './page.ts';
import { codeOf } from './pg-error.ts';
import { reopenRun } from './run-acts.ts';
import { runOf } from './runs.ts';
import { dependenciesOfRun, listTasksStatement, taskById, tasksByReference } from './sql/select-tasks.ts';
import { moveTasks } from './follow-up.ts';
import { newTasks } from './task-rows.ts';
import type { Task } from './types.ts';

export const getTask = (db: Db) => (id: string) => queryOne(db, taskById, [id]);

/** @throws NOT_FOUND */
export async function taskOf(db: Db, id: string): Promise<Task> {
  return orNotFound(await queryOne(db, taskById, [id]), `task ${id}`);
}

export const findTask =
  (db: Db): Store['findTask'] =>
  async (reference, options = {}) => {
    const slash = reference.indexOf('/');
    const [run, key] =
      slash < 0 ? [null, reference] : [reference.slice(0, slash), reference.slice(slash + 1)];
    const rows = key.length === 0 ? [] : await query(db, tasksByReference, [key, run, options.runId ?? null]);
    const best = rows.filter((row) => row.fit === rows[0]?.fit);
    const [first] = best;
    if (first === undefined) return orNotFound<Task>(null, `task "${reference}"`);
    // Keys repeat from run to run: the newest unsettled run's is meant. A piece of an id must fit one task only.
    if (best.length === 1 || first.fit < 3) return taskOf(db, first.id);
    throw new BatonError('AMBIGUOUS', `"${reference}" fits several tasks.`, {
      fix: 'Give `run/key` or more of the id.',
      details: { taskIds: best.map(({ id }) => id) },
    });
  };

export const listTasks =
  (db: Db): Store['listTasks'] =>
  async (filter) => {
    const limit = pageLimit(filter.limit);
    const values = [
      filter.runId ?? null,
      filter.status ?? null,
      filter.role ?? null,
      filter.parentId ?? null,
      readCursor(filter.cursor),
      limit + 1,
    ];
    return toPage(await query(db, listTasksStatement, values), limit);
  };

export const dependencies = (db: Db) => (runId: string) => query(db, dependenciesOfRun, [runId]);

/** Adds tasks to a run; a draft whose idempotency key the run has already gives the task that is there. @throws CONFLICT, INVALID_INPUT, DEPENDENCY_CYCLE */
export const addTasks =
  (db: Db): Store['addTasks'] =>
  async (runId, { drafts, planned, ...by }) => {
    const run = await runOf(db, runId);
    const repo = await retried(true, () => db.prisma.repo.findUniqueOrThrow({ where: { id: run.repoId } }));
    const present = await retried(true, () =>
      db.prisma.task.findMany({
        where: { runId },
        select: { id: true, key: true, idempotencyKey: true, status: true },
      }),
    );
    const repeated = new Map(
      drafts.map((draft) => [
        draft.key,
        present.find((task) => task.idempotencyKey !== null && task.idempotencyKey === draft.idempotencyKey)
          ?.id,
      ]),
    );
    const fresh = drafts.filter((draft) => repeated.get(draft.key) === undefined);
    const cancelled = present.find(
      (task) => task.status === 'CANCELLED' && fresh.some((draft) => draft.dependsOn.includes(task.key)),
    );
    if (cancelled !== undefined)
      throw new BatonError('CONFLICT', `Task "${cancelled.key}" is cancelled: nothing can wait for it.`, {
        fix: 'Depend on another task.',
      });
    const existing = new Map(present.map(({ key, id }) => [key, id]));
    const { ids, tasks, edges } = newTasks(
      fresh,
      {
        runId,
        repoId: run.repoId,
        host: repo.host,
        parentId: null,
        status: planned ? 'PLANNED' : 'OPEN',
        existing,
      },
      db.ids,
    );
    const freshIds = new Map(fresh.map((draft, at) => [draft.key, ids[at] ?? '']));
    const all = drafts.map((draft) => repeated.get(draft.key) ?? freshIds.get(draft.key) ?? '');
    const change: Change = { add: { tasks, edges, by: { actor: by.actor, reason: by.reason } } };
    if (by.commandId !== undefined)
      change.command = { id: by.commandId, actor: by.actor, answer: { taskIds: all } };
    const applied = await apply(db, change).catch((error: unknown) => {
      if (codeOf(error) !== '23505') throw error;
      throw new BatonError('CONFLICT', 'The same tasks were added at the same time.', {
        fix: 'Add them again: what is there is found by its idempotency key.',
        cause: error,
      });
    });
    if (!applied.ok)
      return listed.tasks(
        db,
        applied.why === 'repeated' ? (applied.answer as { taskIds: string[] }).taskIds : [],
      );
    await reopenRun(db, runId, by);
    return listed.tasks(db, all);
  };

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
  (db: Db): Store['approvePlan'] =>
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
  (db: Db): Store['rejectPlan'] =>
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
