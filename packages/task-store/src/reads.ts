import type { Verdict } from '@baton/contracts';
import type { Store } from './api.ts';
import { query, queryOne, retried, type Db } from './db.ts';
import { readCursor } from './page.ts';
import { countTasks, repoById, selectAttempts, selectSessions } from './sql/select-attempts.ts';

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

export const baseVerdict =
  (db: Db): Store['runs']['baseVerdict'] =>
  async (runId, checksHash) =>
    ((
      await retried(true, () =>
        db.prisma.baseVerdict.findUnique({
          where: { runId, ...(checksHash !== undefined && { checksHash }) },
        }),
      )
    )?.verdict ?? null) as unknown as Verdict | null;

export const saveBaseVerdict =
  (db: Db): Store['runs']['saveBaseVerdict'] =>
  async (runId, saved) => {
    await retried(true, () =>
      db.prisma.baseVerdict.upsert({ where: { runId }, create: { runId, ...saved }, update: saved }),
    );
  };
