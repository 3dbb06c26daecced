import { readCheckpointLog } from '@baton/fsm-core';
import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import { appendCheckpointStatement, selectCheckpoints } from './checkpoints.sql.ts';

export const appendCheckpoint =
  (db: Db): Store['streams']['appendCheckpoint'] =>
  async ({ attemptId, checkpoint }) => {
    const seq = checkpoint.kind === 'reflection' ? 0 : checkpoint.transition.seq;
    const values = [attemptId, seq, checkpoint.timing, jsonText(checkpoint)];
    orNotFound(await queryOne(db, appendCheckpointStatement, values), `attempt ${attemptId}`);
  };

export const checkpoints =
  (db: Db): Store['streams']['checkpoints'] =>
  async (attemptId) => {
    const rows = await query(db, selectCheckpoints, [attemptId]);
    return [...readCheckpointLog(rows.map(({ line }) => `${line}\n`).join('')).checkpoints];
  };
