import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import * as sql from './lanes.sql.ts';
import { workOfAttempts } from '../read/work.sql.ts';

export const openLanes =
  (db: Db): Store['lanes']['open'] =>
  ({ host, runId, workerId }) =>
    query(db, sql.openLanesStatement, [host, runId ?? null, workerId ?? null]);

export const landingBehind =
  (db: Db): Store['lanes']['landingBehind'] =>
  async (workerId) =>
    (await query(db, sql.landingBehindStatement, [workerId])).map(({ id }) => id);

export const acquireLane =
  (db: Db): Store['lanes']['acquire'] =>
  ({ repoId, target, workerId, leaseMs }) =>
    queryOne(db, sql.acquireLaneStatement, [db.ids.uuid(), repoId, target, workerId, leaseMs]);

export const renewLane =
  (db: Db): Store['lanes']['renew'] =>
  async (lane, leaseMs) =>
    (await queryOne(db, sql.renewLaneStatement, [lane.id, lane.epoch, leaseMs])) !== null;

export const releaseLane =
  (db: Db): Store['lanes']['release'] =>
  async (lane) => {
    await query(db, sql.releaseLaneStatement, [lane.id, lane.epoch]);
  };

export const catchUpLane =
  (db: Db): Store['lanes']['catchUp'] =>
  async (lane, epoch) =>
    (await queryOne(db, sql.catchUpLaneStatement, [lane.id, lane.epoch, epoch])) !== null;

export const noteLaneWait =
  (db: Db): Store['lanes']['noteWait'] =>
  async (lane, { cause, text }) => {
    await query(db, sql.noteLaneWaitStatement, [lane.id, lane.epoch, cause, text]);
  };

/**
 * DONE is a second queue: only its lane's holder verifies and lands. Source:
 * docs/spec/store.md#done-is-a-second-queue.
 */
export const takeForLanding =
  (db: Db): Store['lanes']['takeForLanding'] =>
  async (lane, { runId, host, besides = [] }) => {
    const values = [lane.id, lane.epoch, runId ?? null, host ?? null, besides];
    const taken = await queryOne(db, sql.takeForLandingStatement, values);
    if (taken === null) return null;
    const work = await queryOne(db, workOfAttempts, [[taken.id]]);
    const context = await queryOne(db, sql.landingContext, [taken.id]);
    if (work === null || context === null)
      throw new BatonError('NOT_FOUND', `Attempt ${taken.id} vanished.`, {
        fix: 'Report this: attempts are never deleted.',
      });
    const { run, repo, task, attempt } = work;
    return { run, repo, task, attempt, ...context };
  };
