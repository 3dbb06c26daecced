import { query, type Db } from '../db/query.ts';
import { tasksById, tasksOfRunStatement } from './tasks.sql.ts';
import type { Task } from '../model/task.ts';

/** Whole lists that several parts of the store need. */
export const listed = {
  tasksOfRun: (db: Db, runId: string): Promise<Task[]> => query(db, tasksOfRunStatement, [runId]),
  tasks: (db: Db, ids: string[]): Promise<Task[]> => query(db, tasksById, [ids]),
};
