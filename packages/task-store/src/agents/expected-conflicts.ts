import type { Store } from '../api/store.ts';
import { jsonText } from '../db/json-text.ts';
import { query, type Db } from '../db/query.ts';
import {
  expectedConflictsStatement,
  setExpectedConflictsStatement,
  underWayStatement,
} from './expected-conflicts.sql.ts';

const mostNotes = 200;

export const underWay =
  (db: Db): Store['lanes']['underWay'] =>
  async (workerId) =>
    query(db, underWayStatement, [workerId]);

export const setExpectedConflicts =
  (db: Db): Store['workers']['setExpectedConflicts'] =>
  async (id, notes) => {
    await query(db, setExpectedConflictsStatement, [id, jsonText(notes.slice(0, mostNotes))]);
  };

export const expectedConflicts =
  (db: Db): Store['tasks']['expectedConflicts'] =>
  async ({ runId, taskId }) =>
    query(db, expectedConflictsStatement, [runId ?? null, taskId ?? null]);
