import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import {
  freeHeldByWorker,
  heartbeat,
  registerStatement,
  selectWorkers,
  setWithdrawnStatement,
  setWorker,
} from './workers.sql.ts';

/** Registers a node, or the same one again after a restart: online, with a fresh heartbeat. */
export const registerWorker =
  (db: Db): Store['workers']['register'] =>
  async ({ id, name, host, pid, pidStarted, bootId, capacity, labels, version, runId }) => {
    const values = [id, name, host, pid, pidStarted, bootId, capacity, labels, version, runId];
    return orNotFound(await queryOne(db, registerStatement, values), `worker ${id}`);
  };

/** By the database's clock. @throws NOT_FOUND */
export const heartbeatWorker =
  (db: Db): Store['workers']['heartbeat'] =>
  async (id) =>
    orNotFound(await queryOne(db, heartbeat, [id]), `worker ${id}`);

export const setWorkerStatus =
  (db: Db): Store['workers']['setStatus'] =>
  async (id, status) => {
    if (status === 'offline') await query(db, freeHeldByWorker, [id]);
    const set = await queryOne(db, setWorker, [id, status]);
    orNotFound(set?.found === true ? id : null, `worker ${id}`);
  };

export const setWithdrawn =
  (db: Db): Store['workers']['setWithdrawn'] =>
  async (id, withdrawn) => {
    await query(db, setWithdrawnStatement, [id, jsonText(withdrawn)]);
  };

export const workers =
  (db: Db): Store['workers']['list'] =>
  async () =>
    query(db, selectWorkers, []);
