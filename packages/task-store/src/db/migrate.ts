import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BatonError } from '@baton/contracts';
import pg from 'pg';
import { defaultCostFunction, defaultCostMicroUsd } from '../decide/default-cost.ts';
import { checkUrl } from './check-options.ts';
import { refuseForeign } from './foreign-database.ts';
import { isFirstLayout } from './first-layout.ts';
import { codeOf, fromPgError, isDatabaseAway } from './pg-error.ts';
import { refuseSharing } from './pooler.ts';
import { checkServer, connectMs, settleSession } from './session.ts';

/** The advisory lock that `prisma migrate` itself takes, so that both wait for one another. */
const prismaLock = 72707369;

/** Prisma's own bookkeeping table, as `prisma migrate deploy` makes it. */
const bookkeeping = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
  logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/** One migration of this program. */
interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

/** Folder of the migrations, beside `src` and `dist` alike. */
const folder = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../prisma/migrations/' : '../prisma/migrations/',
    import.meta.url,
  ),
);

async function ownMigrations(): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(`${folder}${name}/migration.sql`, 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Brings a database to this program's schema: `prisma migrate deploy` on pg alone, with the same table, checksums and lock,
 * each migration in one transaction with its bookkeeping. Any number of processes may call it at once.
 *
 * @param url address of a PostgreSQL 14+ database
 * @param options.lockMs how long it waits for another that migrates, and for a lock on a table; 30 s when left out
 * @returns names of the migrations that this call applied
 * @throws MIGRATION_FAILED when one fails, failed before, was edited after it ran, or is newer than this program;
 *   DATABASE_FOREIGN when it holds tables of another application; DATABASE_UNREACHABLE, DATABASE_LOGIN, DATABASE_POOLED, DATABASE_TOO_OLD, DATABASE_ENCODING, DATABASE_READ_ONLY, DATABASE_DENIED;
 *   INVALID_INPUT for what is no address of PostgreSQL
 */
export async function migrate(url: string, { lockMs }: { lockMs?: number } = {}): Promise<string[]> {
  checkUrl(url);
  const own = await ownMigrations();
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  // An error event without a listener would end the process; the query that is under way reports the same.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await refuseSharing(client, url);
    await settleSession(client, lockMs);
    await checkServer(client);
    await takeTurn(client);
    const applied = await applyMissing(client, own);
    await giveDefaultCosts(client);
    return applied;
  } catch (error) {
    throw fromPgError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Like {@link migrate}, for a database with no other writer: a file beside it says which schema it has, so that most calls
 * need no connection. It is written once the schema is there; a caller that finds another one, or none, migrates.
 *
 * @param options.stampFile the file; in a folder that exists
 * @param options.isNew the database was just made: whatever the file says is about another
 */
export async function migrateOnce(
  url: string,
  { stampFile, isNew }: { stampFile: string; isNew: boolean },
): Promise<string[]> {
  const own = await ownMigrations();
  const known = [...own.map(({ name, checksum }) => `${name} ${checksum}`), defaultCostFunction].join('\n');
  const stamp = createHash('sha256').update(known).digest('hex');
  if (!isNew && (await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return [];
  const applied = await migrate(url);
  await writeFile(stampFile, stamp, { mode: 0o600 });
  return applied;
}

/** One process at a time; one that waits too long hears what for. */
async function takeTurn(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [prismaLock]).catch((cause: unknown) => {
    if (codeOf(cause) !== '55P03') throw cause;
    throw new BatonError(
      'DATABASE_INTERRUPTED',
      'Another program is migrating the database, or never ended.',
      {
        fix: `Wait until it is done; \`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${prismaLock} AND granted\` says which it is. The same call may be repeated.`,
        cause,
      },
    );
  });
}

async function applyMissing(client: pg.Client, own: Migration[]): Promise<string[]> {
  await refuseForeign(client);
  await client.query(bookkeeping);
  const { rows } = await client.query<Applied>(
    'SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations ORDER BY started_at, migration_name',
  );
  const done = rows.filter((row) => row.finished_at !== null && row.rolled_back_at === null);
  refuseBroken({ rows, done, own });
  const known = new Set(done.map((row) => row.migration_name));
  const missing = own.filter((migration) => !known.has(migration.name));
  for (const migration of missing) await applyOne(client, migration);
  return missing.map((migration) => migration.name);
}

const otherBuild =
  'Another build of Baton made this database: use that build, or write it to a file with its `baton export` and read that into a new database (DATABASE_URL, or BATON_HOME) with `baton import`.';

function refuseBroken(state: { rows: Applied[]; done: Applied[]; own: Migration[] }): void {
  const failed = state.rows.find((row) => row.finished_at === null && row.rolled_back_at === null);
  if (failed !== undefined) {
    throw new BatonError(
      'MIGRATION_FAILED',
      `Migration ${failed.migration_name} failed before and is not resolved.`,
      {
        fix: `Restore a backup into an empty database. Or, once what that migration changed is undone, delete its row: \`DELETE FROM _prisma_migrations WHERE migration_name = '${failed.migration_name}' AND finished_at IS NULL\`; it is then applied again.`,
      },
    );
  }
  for (const row of state.done) {
    const migration = state.own.find((each) => each.name === row.migration_name);
    if (isFirstLayout(row.migration_name)) {
      throw new BatonError('MIGRATION_FAILED', 'The database was made by an older version of Baton.', {
        fix: otherBuild,
      });
    }
    if (migration === undefined) {
      throw new BatonError(
        'MIGRATION_FAILED',
        `The database has migration ${row.migration_name}, which this program does not know.`,
        {
          fix: 'The database is newer than this program: update Baton, or use another database (DATABASE_URL, or BATON_HOME for the packaged one).',
        },
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new BatonError(
        'MIGRATION_FAILED',
        `Migration ${row.migration_name} was edited after it was applied.`,
        { fix: otherBuild },
      );
    }
  }
}

/** Touched only where the figures differ: other processes may be claiming. */
async function giveDefaultCosts(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ same: boolean }>(
    `SELECT bool_and(baton_default_cost(c.scope) = c.cost) AS same FROM unnest($1::text[], $2::bigint[]) AS c(scope, cost)`,
    [Object.keys(defaultCostMicroUsd), Object.values(defaultCostMicroUsd)],
  );
  if (rows[0]?.same !== true) await client.query(defaultCostFunction);
}

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    // Without parameters pg uses the simple protocol: many statements, function bodies included.
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
      [migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    // A full disk or a lost connection is no fault of the migration, and has a way out of its own.
    const named = fromPgError(error);
    if (isDatabaseAway(named)) throw named;
    throw new BatonError(
      'MIGRATION_FAILED',
      `Migration ${migration.name} failed: ${(error as Error).message}`,
      {
        fix: 'The database is as it was before; see the cause.',
        cause: error,
      },
    );
  }
}
