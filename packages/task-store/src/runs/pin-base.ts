import type { Store } from '../api/store.ts';
import { type Db, orNotFound, queryOne } from '../db/query.ts';
import { pinBaseStatement } from './pin-base.sql.ts';

/** Sets the base commit once; returns the one that is set. @throws NOT_FOUND */
export const pinBase =
  (db: Db): Store['runs']['pinBase'] =>
  async (runId, baseCommit) =>
    orNotFound(await queryOne(db, pinBaseStatement, [runId, baseCommit]), `run ${runId}`).baseCommit;
