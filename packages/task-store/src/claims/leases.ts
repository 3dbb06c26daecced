import type { Store } from '../api/store.ts';
import { query, type Db } from '../db/query.ts';
import { lostAttempts, renewLeasesStatement, takeOrphansStatement } from './leases.sql.ts';
import { workOfAttempts } from '../read/work.sql.ts';

/** Renews all leases of a worker: the supervisor's sign of life, whatever its agents do. */
export const renewLeases =
  (db: Db): Store['claims']['renewLeases'] =>
  async ({ workerId, leaseMs }) => {
    const cancelled = await query(db, renewLeasesStatement, [workerId, leaseMs]);
    const lost = await query(db, lostAttempts, [workerId]);
    return { lost: lost.map(({ id }) => id), cancelRequested: cancelled.map(({ id }) => id) };
  };

export const takeOrphans =
  (db: Db): Store['claims']['takeOrphans'] =>
  async ({ workerId, host, leaseMs, runId }) => {
    const taken = await query(db, takeOrphansStatement, [workerId, host, leaseMs, runId ?? null]);
    return taken.length === 0 ? [] : query(db, workOfAttempts, [taken.map(({ id }) => id)]);
  };
