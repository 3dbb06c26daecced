import { setTimeout as delay } from 'node:timers/promises';
import { BatonError, type Clock, type Ids } from '@baton/contracts';
import type pg from 'pg';
import type { z } from 'zod';
import type { Added, Addition, Applied, Change } from '../decide/change.ts';
import type { ClaimRequest } from '../model/requests.ts';
import { bindable } from './bindable.ts';
import type { PrismaClient } from '../generated/client.ts';
import type { KnownRuns } from './run-cache.ts';
import type { Snapshots } from './situation-cache.ts';
import type { Claim } from '../model/task.ts';
import type { Notifier } from './notify.ts';
import type { StepMove } from './rows.ts';
import { fromPgError, isConnectionError, isContention, isCrowded } from './pg-error.ts';
import { prepared, type Statement } from './statement.ts';

/** What every function of the store works with. */
export interface Db {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Prisma's client on the same pool, loaded by the first call. */
  prisma(): Promise<PrismaClient>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Runs and situations that this process knows, so that hot statements need not bring them again. */
  readonly runs: KnownRuns;
  readonly snapshots: Snapshots;
  /** Moves of the steps that were read so far: they never change. */
  readonly steps: Map<number, readonly StepMove[]>;
  /** Where the work of runs is done: it never changes. */
  readonly places: Map<string, { repoId: string; host: string | null }>;
  /** Applies a report together with others that come at the same moment. */
  applyReport(change: Change): Promise<Applied>;
  /** Adds tasks together with others for the same run at the same moment. */
  addPlain(addition: Addition): Promise<Added>;
  /** Claims one task together with others that ask for the same; null: look for yourself. */
  claimReady(request: ClaimRequest): Promise<Claim | null>;
  /** How long a transaction that is ended when idle may be idle. */
  readonly idleMs: number;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Notifies listeners of the channel; coalesced, outside of all transactions. */
  wake: Notifier['wake'];
  /** Whether a statement may tell all of them itself. */
  mayNotify: Notifier['mayNotify'];
}

/** Runs a statement within a transaction and parses its rows. */
export type RunStatement = <Row extends z.ZodType>(
  statement: Statement<Row>,
  values: unknown[],
) => Promise<z.output<Row>[]>;

/** More than a pool has connections: each may hold a statement that was prepared before a migration. */
const contentionTries = 10;
const readDelaysMs = [50, 150, 400];
/** For a connection of a server that has none free: as long as the pool waits for one of its own. */
const crowdedTries = 50;
const crowdedDelayMs = 200;

/**
 * Runs one named statement on the pool and parses its rows. A deadlock is tried again; a read, and a write that is idempotent, also when
 * the connection breaks.
 * @throws DATABASE_UNREACHABLE (retryable) and whatever else the database says
 */
export async function query<Row extends z.ZodType>(
  db: Db,
  statement: Statement<Row>,
  values: unknown[],
): Promise<z.output<Row>[]> {
  const { rows } = await retried(statement.readonly || statement.isIdempotent === true, () =>
    db.pool.query({ ...prepared(statement), values: bindable(statement.text, values) }),
  );
  return rows.map((row: unknown) => statement.row.parse(row));
}

/** Like {@link query}, for statements that give at most one row. */
export async function queryOne<Row extends z.ZodType>(
  db: Db,
  statement: Statement<Row>,
  values: unknown[],
): Promise<z.output<Row> | null> {
  const [row] = await query(db, statement, values);
  return row ?? null;
}

/** Runs database work of any kind (Prisma included) with the store's rules for repeating and its errors. */
export async function retried<T>(readonly: boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await onceConnected(work);
    } catch (error) {
      const again = isContention(error)
        ? attempt < contentionTries
        : readonly && isConnectionError(error) && !isCrowded(error) && attempt < readDelaysMs.length;
      if (!again) throw fromPgError(error);
      if (!isContention(error)) await delay(readDelaysMs[attempt] ?? 0);
    }
  }
}

/** Where the server has no connection free, nothing was sent: writes wait, too, until this pool or another program gives one back. */
async function onceConnected<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!isCrowded(error) || tried === crowdedTries) throw error;
      await delay(crowdedDelayMs);
    }
  }
}

/** Runs several statements on one connection in one transaction. Never repeated by itself.
 * @param options.endIdle Postgres undoes it once this process says nothing for `idleMs`, as when it was stopped: its locks hold up others
 */
export async function inTransaction<T>(
  db: Db,
  work: (run: RunStatement) => Promise<T>,
  { endIdle = false }: { endIdle?: boolean } = {},
): Promise<T> {
  const client = await retried(false, () => db.pool.connect());
  let broken: Error | undefined;
  try {
    await client.query(
      endIdle ? `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(db.idleMs)}` : 'BEGIN',
    );
    const result = await work(async (statement, values) => {
      const { rows } = await client.query({
        ...prepared(statement),
        values: bindable(statement.text, values),
      });
      return rows.map((row: unknown) => statement.row.parse(row));
    });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // What is sent on a connection that broke, or whose statement still runs, waits behind it.
    if (isConnectionError(error)) broken = error as Error;
    else
      await client.query('ROLLBACK').catch((failure: unknown) => {
        broken = failure as Error;
      });
    throw isConnectionError(error) ? fromPgError(error) : error;
  } finally {
    // A connection that could not roll back is not given to anyone else.
    client.release(broken);
  }
}

/** The thing that a lookup did not find. @throws NOT_FOUND */
export function orNotFound<T>(value: T | null | undefined, what: string): T {
  if (value !== null && value !== undefined) return value;
  const lists = what.startsWith('run ')
    ? '`baton runs` lists'
    : what.startsWith('worker ')
      ? '`baton workers` lists'
      : what.startsWith('key ')
        ? '`baton keys list` shows'
        : '`baton tasks` and `baton runs` list';
  throw new BatonError('NOT_FOUND', `There is no ${what}.`, {
    fix: `Check the name; ${lists} what there is.`,
  });
}
