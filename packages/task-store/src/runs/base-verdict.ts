import type { Store } from '../api/store.ts';
import { jsonText } from '../db/json-text.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { baseVerdictOfRun, saveBaseVerdictStatement } from './base-verdict.sql.ts';

export const baseVerdict =
  (db: Db): Store['runs']['baseVerdict'] =>
  async (runId, checksHash) =>
    (await queryOne(db, baseVerdictOfRun, [runId, checksHash ?? null]))?.verdict ?? null;

export const saveBaseVerdict =
  (db: Db): Store['runs']['saveBaseVerdict'] =>
  async (runId, { checksHash, verdict }) => {
    await query(db, saveBaseVerdictStatement, [runId, checksHash, jsonText(verdict)]);
  };
