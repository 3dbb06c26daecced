import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { readCursor } from '../db/page.ts';
import { countTasks, repoById, selectAttempts, selectSessions } from './attempts.sql.ts';

export const getRepo = (db: Db) => (id: string) => queryOne(db, repoById, [id]);

export const attempts =
  (db: Db): Store['tasks']['attempts'] =>
  (taskId) =>
    query(db, selectAttempts, [taskId, null, null, null, null, null]);

export const listAttempts =
  (db: Db): Store['tasks']['listAttempts'] =>
  ({ runId, sessionId, open, after, limit }) => {
    const values = [null, runId ?? null, sessionId ?? null, open ?? null, readCursor(after), limit ?? null];
    return query(db, selectAttempts, values);
  };

export const sessions =
  (db: Db): Store['tasks']['sessions'] =>
  ({ runId, workerId, host, live, after, limit }) => {
    const values = [runId, workerId, host, live].map((value) => value ?? null);
    return query(db, selectSessions, [...values, readCursor(after), limit ?? null]);
  };

export const counts =
  (db: Db): Store['audit']['counts'] =>
  async (runId) =>
    Object.fromEntries(
      (await query(db, countTasks, [runId ?? null])).map(({ name, count }) => [name, count]),
    );
