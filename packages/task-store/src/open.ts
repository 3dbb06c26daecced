import type { Clock, Ids } from '@baton/contracts';
import pg from 'pg';
import { checkOptions } from './db/check-options.ts';
import type { Db } from './db/query.ts';
import { additionGroup } from './tasks/add-tasks.ts';
import { reportGroup } from './apply/apply.ts';
import { claimGroup } from './claims/claim-group.ts';
import { createGroup } from './db/group-commit.ts';
import { knownRuns } from './db/run-cache.ts';
import { createNotifier } from './db/notify.ts';
import { connectMs, settleSession } from './db/session.ts';
import { defaultAskMs, watchSilence } from './db/silence.ts';
import { createSnapshots } from './db/situation-cache.ts';
import { chance, timeOrderedIds } from './db/uuid-v7.ts';
import type { PrismaClient } from './generated/client.ts';

/** How a store is opened. */
export interface StoreOptions {
  /** Address of a migrated PostgreSQL 14+ database. */
  url: string;
  clock?: Clock;
  ids?: Ids;
  /** Chance for the jitter of back-offs, 0 ≤ x < 1. */
  random?: () => number;
  /** Connections at most; 10 when left out. */
  poolSize?: number;
  /** A statement without an answer for so long counts as a connection that broke; five minutes when left out. */
  silenceMs?: number;
  /** After so long without an answer the server is asked whether it works on the statement; if not, the connection broke. 10 s when left out. */
  askMs?: number;
  /** A statement that has waited for a lock for so long fails with DATABASE_INTERRUPTED and has no effect; 30 s when left out. */
  lockMs?: number;
  /** A transaction of a claim whose process says nothing for so long is undone, so that it holds up no other; 60 s when left out. */
  idleMs?: number;
  /** Answers come once the log has their events: no window in which an event is not proven, one more round trip. */
  answerAfterLogged?: boolean;
}

// For those who use the store alone and pass no clock; everything else takes its time from a Clock.
/* eslint-disable no-restricted-properties */
const hostClock: Clock = {
  now: () => new Date(performance.timeOrigin + performance.now()),
  monotonicMs: () => performance.now(),
};
/* eslint-enable no-restricted-properties */

/** Opens pool, Prisma (on the same pool) and the notifier. Connects on first use. @throws INVALID_INPUT */
export function openDb(options: StoreOptions): { db: Db; close: () => Promise<void> } {
  checkOptions(options);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: connectMs,
    // A server or a firewall may go away without closing the connection.
    query_timeout: options.silenceMs ?? 5 * 60_000,
    keepAlive: true,
    // Each new connection, before it is lent out for the first time.
    verify: (client, done) => {
      const settled = settleSession(client, options.lockMs).then((pid) => silence.knows(client, pid));
      void settled.then(() => done(), done);
    },
  });
  const clock = options.clock ?? hostClock;
  const silence = watchSilence(pool, {
    ...{ url: options.url, askMs: options.askMs ?? defaultAskMs },
    nowMs: () => clock.monotonicMs(),
  });
  // Idle connections that break are replaced on the next use; without a listener they would end the process.
  pool.on('error', () => undefined);
  // The same for connections that are lent out: their queries report the failure.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // Loading it is a third of what a short command costs, and hardly any command needs it.
  let prisma: Promise<PrismaClient> | undefined;
  const notifier = createNotifier(pool);
  const db: Db = {
    url: options.url,
    pool,
    prisma: () => (prisma ??= import('./db/prisma.ts').then(({ openPrisma }) => openPrisma(pool))),
    clock,
    ids: options.ids ?? timeOrderedIds(clock),
    runs: knownRuns(),
    snapshots: createSnapshots(),
    steps: new Map(),
    places: new Map(),
    applyReport: (change) => reports(change),
    addPlain: (addition) => additions(addition),
    claimReady: (request) => claims(request),
    idleMs: options.idleMs ?? 60_000,
    random: options.random ?? (() => chance(4).readUInt32BE() / 2 ** 32),
    wake: notifier.wake,
    mayNotify: notifier.mayNotify,
  };
  const reports = createGroup(reportGroup(db));
  const additions = createGroup(additionGroup(db));
  const claims = createGroup(claimGroup(db));
  let closing: Promise<void> | undefined;
  const close = async () => {
    await notifier.stop();
    await (await prisma)?.$disconnect();
    if (!pool.ended) await pool.end();
    silence.stop();
  };
  return { db, close: () => (closing ??= close()) };
}
