import type { Store } from '../api/store.ts';
import { jsonText } from '../db/json-text.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import * as sql from './pull-requests.sql.ts';

export const noteRequest =
  (db: Db): Store['pullRequests']['note'] =>
  ({ attemptId, fence }, { commit, ...note }) => {
    const values = { ...note, commit: commit?.id, onto: commit?.onto };
    return queryOne(db, sql.noteRequestStatement, [attemptId, fence, jsonText(values)]);
  };

export const listRequests =
  (db: Db): Store['pullRequests']['list'] =>
  async (runId) =>
    (await query(db, sql.requestsOfRun, [runId])).map(({ request, ...task }) => ({ ...request, ...task }));
