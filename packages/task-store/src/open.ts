import { randomFillSync } from 'node:crypto';
import type { Clock, Ids } from '@baton/contracts';
import pg from 'pg';
import type { Db } from './db.ts';
import { additionGroup } from './add-tasks.ts';
import { reportGroup } from './apply.ts';
import { claimGroup } from './claim-many.ts';
import { createGroup } from './group.ts';
import { knownRuns } from './known-runs.ts';
import { lazyPrisma } from './lazy-prisma.ts';
import { createNotifier } from './notify.ts';
import { settleSession } from './session.ts';
import { createSnapshots } from './snapshots.ts';

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

const randomBytes = Buffer.alloc(4096);
let used = randomBytes.length;
/** Chance by the block: asking the system for each few bytes costs more than using them. */
function chance(bytes: number): Buffer {
  if (used + bytes > randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  used += bytes;
  return randomBytes.subarray(used - bytes, used);
}

/** UUIDs of version 7: 48 bits of milliseconds, then chance; ids sort by creation. */
export function timeOrderedIds(clock: Clock): Ids {
  return {
    uuid() {
      const bytes = chance(16);
      bytes.writeUIntBE(clock.now().getTime(), 0, 6);
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      const hex = bytes.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}

/** Opens pool, Prisma (on the same pool) and the notifier. Connects on first use. */
export function openDb(options: StoreOptions): { db: Db; close: () => Promise<void> } {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: 10_000,
    // A server or a firewall may go away without closing the connection.
    query_timeout: options.silenceMs ?? 5 * 60_000,
    keepAlive: true,
    // Each new connection, before it is lent out for the first time.
    verify: (client, done) => void settleSession(client).then(() => done(), done),
  });
  // Idle connections that break are replaced on the next use; without a listener they would end the process.
  pool.on('error', () => undefined);
  // The same for connections that are lent out: their queries report the failure.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const clock = options.clock ?? hostClock;
  const prisma = lazyPrisma(async () => (await import('./prisma.ts')).openPrisma(pool));
  const notifier = createNotifier(pool);
  const db: Db = {
    url: options.url,
    pool,
    prisma: prisma.client,
    clock,
    ids: options.ids ?? timeOrderedIds(clock),
    runs: knownRuns(),
    snapshots: createSnapshots(),
    places: new Map(),
    applyReport: (change) => reports(change),
    addPlain: (addition) => additions(addition),
    claimReady: (request) => claims(request),
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
    await prisma.disconnect();
    if (!pool.ended) await pool.end();
  };
  return { db, close: () => (closing ??= close()) };
}
