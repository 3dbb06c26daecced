import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import * as sql from './heads.sql.ts';
import { workOfAttempts } from '../read/work.sql.ts';

export const placeHead =
  (db: Db): Store['lanes']['placeHead'] =>
  async ({ attemptId, fence }, place) =>
    (await queryOne(db, sql.placeHeadStatement, [attemptId, fence, jsonText(place)])) !== null;

export const headMissed =
  (db: Db): Store['lanes']['headMissed'] =>
  async ({ attemptId, fence }, { workerId, text, pauseMs, isUnreadable }) => {
    const values = [attemptId, fence, workerId, text, pauseMs, isUnreadable];
    return (await queryOne(db, sql.headMissedStatement, values)) !== null;
  };

export const headFound =
  (db: Db): Store['lanes']['headFound'] =>
  async ({ attemptId, fence }) => {
    await query(db, sql.headFoundStatement, [attemptId, fence]);
  };

export const takeLostHeads =
  (db: Db): Store['lanes']['takeLostHeads'] =>
  async ({ workerId, host, leaseMs, runId, waitMs }) => {
    const taken = await query(db, sql.takeLostHeadsStatement, [
      ...[workerId, host, leaseMs],
      ...[runId ?? null, waitMs],
    ]);
    if (taken.length === 0) return [];
    const texts = new Map(taken.map(({ id, text }) => [id, text]));
    const works = await query(db, workOfAttempts, [taken.map(({ id }) => id)]);
    return works.map((work) => ({ ...work, text: texts.get(work.attempt.id) ?? null }));
  };
