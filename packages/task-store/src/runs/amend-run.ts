import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import { runOf } from '../read/runs.ts';
import { amendRunStatement } from './amend-run.sql.ts';

/** Changes what a paused or failed run is carried out with, before it is resumed. @throws NOT_FOUND, CONFLICT */
export const amendRun =
  (db: Db): Store['runs']['amend'] =>
  async (runId, { baseCommit = null, workspace = null, allowRed = [] }) => {
    const values = [runId, baseCommit, workspace === null ? null : jsonText(workspace), allowRed];
    const amended = await queryOne(db, amendRunStatement, values);
    const run = await runOf(db, runId);
    if (amended !== null) return run;
    throw new BatonError('CONFLICT', `Run ${run.slug} is ${run.status}.`, {
      at: run.slug,
      fix: `Pause it first with \`baton pause ${run.slug}\`.`,
    });
  };
