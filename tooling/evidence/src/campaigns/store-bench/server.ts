import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import { tempDir } from '@baton/testkit';
import pg from 'pg';

/** The one server that all contenders work on, with what is needed to see its costs. */
export interface BenchServer extends AsyncDisposable {
  /** How many take jobs at once. */
  claimers: number;
  /**
   * Makes a database, named after what it is for; returns its address. It is empty, but for the store's tables where `usesStore`
   * and the server was told how to make them.
   */
  database(purpose: string, options?: { usesStore?: boolean }): Promise<string>;
  /** Takes a database away once its last user has gone; one that `isKept` goes with the server: each drop waits for a checkpoint. */
  drop(url: string, options?: { isKept: boolean }): Promise<void>;
  /** Runs a statement on a connection of the bench's own, which no figure counts. */
  sql(url: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** CPU time in ms that each client backend of the database has used up to now. */
  backendCpu(url: string): Promise<Map<number, number>>;
  /** Bytes of log written up to now. */
  walBytes(): Promise<number>;
  /** What the server itself says: version and the settings that durability hangs on. */
  describe(): Promise<Record<string, string>>;
}

/** Marks the bench's own connections. */
const ownName = 'baton-bench-observer';
const templateName = 'bench_store';

/**
 * Starts the packaged server in a folder of its own, with the settings it ships with. `settings` are for profiling only; with
 * `makeStore` the store's tables are made once and copied from then on. A server that `forgets` waits for no disk: where its
 * figures are looked at, nobody could believe them.
 */
export async function startBenchServer({
  settings = {},
  makeStore,
  forgets = false,
}: {
  settings?: Readonly<Record<string, string>>;
  makeStore?: ((url: string) => Promise<unknown>) | undefined;
  forgets?: boolean;
} = {}): Promise<BenchServer> {
  const folder = await tempDir();
  let server = await startEmbeddedPostgres({ home: folder.path, database: 'postgres' });
  if (Object.keys(settings).length > 0) {
    const admin = await connect(server.url);
    for (const [name, value] of Object.entries(settings))
      await admin.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`);
    await admin.end();
    await server.release();
    server = await startEmbeddedPostgres({ home: folder.path, database: 'postgres' });
  }
  const admin = await connect(server.url);
  if (forgets) {
    await admin.query('ALTER SYSTEM SET fsync = off');
    await admin.query('SELECT pg_reload_conf()');
  }
  let made = 0;
  const observers = new Map<string, Promise<pg.Pool>>();
  const observer = (url: string) => {
    const found = observers.get(url) ?? connect(url);
    observers.set(url, found);
    return found;
  };
  const leave = async (url: string) => {
    const found = observers.get(url);
    observers.delete(url);
    await (await found)?.end();
  };
  const urlOf = (name: string) => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  let storeMade: Promise<unknown> | undefined;
  const template = async (make: (url: string) => Promise<unknown>) => {
    await admin.query(`CREATE DATABASE ${templateName}`);
    await make(urlOf(templateName));
  };
  return {
    claimers: forgets ? 4 : 16,
    async database(purpose, { usesStore = false } = {}) {
      const name = `bench_${purpose}_${made++}`;
      const copied = usesStore && makeStore !== undefined;
      if (copied) await (storeMade ??= template(makeStore));
      await admin.query(`CREATE DATABASE ${name}${copied ? ` TEMPLATE ${templateName}` : ''}`);
      return urlOf(name);
    },
    async drop(url, { isKept } = { isKept: false }) {
      const name = databaseOf(url);
      await leave(url);
      // Pools may still be saying goodbye: cut off, they would throw where nobody can catch it.
      for (let waitedMs = 0; waitedMs < 5000 && (await isUsed(admin, name)); waitedMs += 20) await delay(20);
      if (!isKept) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
    sql: async (url, text, values) => (await (await observer(url)).query(text, values)).rows,
    async backendCpu(url) {
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND application_name <> $2`,
        [databaseOf(url), ownName],
      );
      return new Map(rows.map(({ pid }) => [pid, processCpuMs(pid)]));
    },
    async walBytes() {
      const { rows } = await admin.query<{ bytes: string }>(
        `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`,
      );
      return Number(rows[0]?.bytes);
    },
    async describe() {
      const names = ['server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'wal_sync_method'];
      const { rows } = await admin.query<{ name: string; value: string }>(
        `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) name`,
        [names],
      );
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...observers.keys()].map(leave));
      await admin.end();
      await server.release();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function isUsed(admin: pg.Pool, database: string): Promise<boolean> {
  const { rowCount } = await admin.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
    [database],
  );
  return rowCount !== 0;
}

/** Name of the database that an address leads to. */
export const databaseOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1));

/** One connection for one database; callers wait for one another. */
async function connect(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: ownName,
    max: 1,
    idleTimeoutMillis: 0,
  });
  pool.on('error', () => undefined);
  await pool.query('SELECT 1');
  return pool;
}

/** CPU time of a process in ms: by the scheduler's own clock, or in ticks of 10 ms where the kernel does not show that. */
export function processCpuMs(pid: number): number {
  try {
    const nanoseconds = Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
    if (nanoseconds > 0) return nanoseconds / 1e6;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0; // it has ended in this moment
  }
}
