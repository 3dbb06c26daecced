import type { Store } from '../api/store.ts';
import { orNotFound, queryOne, type Db } from '../db/query.ts';
import { graphStatement } from './graph.sql.ts';

/** The tasks of a run and what each waits for. @throws NOT_FOUND */
export const graph =
  (db: Db): Store['tasks']['graph'] =>
  async (runId) =>
    orNotFound(await queryOne(db, graphStatement, [runId]), `run ${runId}`);
