import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, retried, type Db } from '../db/query.ts';
import type { WorkerRow } from '../generated/client.ts';
import type { Worker } from '../model/worker.ts';
import { jsonText } from '../db/json-text.ts';
import {
  freeHeldByWorker,
  heartbeat,
  selectWorkers,
  setWithdrawnStatement,
  setWorker,
} from './workers.sql.ts';

const toWorker = (row: WorkerRow): Worker => ({
  ...row,
  status: row.status as Worker['status'],
  withdrawn: row.withdrawn as unknown as Worker['withdrawn'],
});

/** Registers a node, or the same one again after a restart: online, with a fresh heartbeat. */
export const registerWorker =
  (db: Db): Store['workers']['register'] =>
  async (worker) => {
    await retried(true, () =>
      db.prisma.workerRow.upsert({
        where: { id: worker.id },
        create: worker,
        update: { ...worker, status: 'online', withdrawn: [] },
      }),
    );
    await queryOne(db, heartbeat, [worker.id]);
    return toWorker(
      await retried(true, () => db.prisma.workerRow.findUniqueOrThrow({ where: { id: worker.id } })),
    );
  };

/** By the database's clock. @throws NOT_FOUND */
export const heartbeatWorker =
  (db: Db): Store['workers']['heartbeat'] =>
  async (id) =>
    orNotFound(await queryOne(db, heartbeat, [id]), `worker ${id}`).status;

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
