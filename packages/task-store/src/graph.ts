import type { Store } from './api.ts';
import { orNotFound, queryOne, type Db } from './db.ts';
import { graphStatement } from './sql/graph.ts';

/** The tasks of a run and what each waits for. @throws NOT_FOUND */
export const graph =
  (db: Db): Store['tasks']['graph'] =>
  async (runId) =>
    orNotFound(await queryOne(db, graphStatement, [runId]), `run ${runId}`);
