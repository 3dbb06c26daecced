import { query, type Db } from './db.ts';
import { tasksById, tasksOfRunStatement } from './sql/select-tasks.ts';
import type { Task } from './types.ts';

/** Whole lists that several parts of the store need. */
export const listed = {
  tasksOfRun: (db: Db, runId: string): Promise<Task[]> => query(db, tasksOfRunStatement, [runId]),
  tasks: (db: Db, ids: string[]): Promise<Task[]> => query(db, tasksById, [ids]),
};
