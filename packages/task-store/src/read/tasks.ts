import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { escaped, pageLimit, readCursor, refuseForeign, toPage } from '../db/page.ts';
import { dependenciesOfRun, keysOfRun, listTasksStatement, taskById, tasksByReference } from './tasks.sql.ts';
import type { Task } from '../model/task.ts';

export const getTask = (db: Db) => (id: string) => queryOne(db, taskById, [id]);

/** @throws NOT_FOUND */
export async function taskOf(db: Db, id: string): Promise<Task> {
  return orNotFound(await queryOne(db, taskById, [id]), `task ${id}`);
}

export const findTask =
  (db: Db): Store['tasks']['find'] =>
  async (reference, options = {}) => {
    const slash = reference.indexOf('/');
    const [run, key] =
      slash < 0 ? [null, reference] : [reference.slice(0, slash), reference.slice(slash + 1)];
    const values = [key, run, options.runId ?? null, options.location ?? null];
    const rows = key.length === 0 ? [] : await query(db, tasksByReference, values);
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
  (db: Db): Store['tasks']['list'] =>
  async (filter) => {
    const limit = pageLimit(filter.limit);
    const cursor = readCursor(filter.cursor);
    const values = [
      filter.runId ?? null,
      filter.status ?? null,
      filter.role ?? null,
      filter.parentId ?? null,
      cursor,
      limit + 1,
      filter.settled ?? null,
      filter.labels ?? null,
      filter.text === undefined ? null : escaped(filter.text),
    ];
    const rows = await query(db, listTasksStatement, values);
    await refuseForeign(rows, { cursor, find: getTask(db) });
    return toPage(rows, limit);
  };

/** Ids of a run's tasks by their keys. */
export async function tasksByKey(db: Db, runId: string): Promise<Map<string, string>> {
  return new Map((await query(db, keysOfRun, [runId])).map(({ key, id }) => [key, id]));
}

export const dependencies = (db: Db) => (runId: string) => query(db, dependenciesOfRun, [runId]);
