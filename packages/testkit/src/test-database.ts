import { createHash, randomBytes } from 'node:crypto';

import pg from 'pg';

import { processStartTime } from './processes.ts';
import { holdTestServer, type TestServer, type TestServerEnv } from './test-server.ts';

/** What a test database holds at the start. */
export interface TestDatabaseOptions {
  /** Brings an empty database to the wanted schema; must have closed its connections when it is done. */
  migrate: (url: string) => Promise<void>;
  /** Changes whenever `migrate` would give something else: a hash of the migrations' text. */
  templateKey: string;
  /** Where the server is; the process's environment when left out. */
  env?: TestServerEnv;
}

/** A database of its own for one test, dropped at the end of the `await using` block. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  /** Ends every connection and takes no new one, until {@link TestDatabase.reopen}. */
  close(): Promise<void>;
  reopen(): Promise<void>;
  /** Copies the database as it is now, beside it; ends every connection to it. One copy at most. */
  keepCopy(): Promise<void>;
  /** Puts the copy in the place of the database, as one restores a dump: what came since is gone. */
  putCopyBack(): Promise<void>;
  /** Does something while another program holds a table for itself alone. */
  whileLocked(table: string, work: () => Promise<void>): Promise<void>;
  /** Runs one statement: what no caller can do, such as to let time pass. */
  sql(text: string): Promise<void>;
}

const keptTemplates = 16;
/** Advisory lock of the server, held while templates are made or dropped. */
const lockKey = 7_247_014;

/**
 * Makes a fresh database by cloning a migrated template, which is made once per `templateKey` and kept by the server.
 * All test processes of a machine share one packaged server; a `DATABASE_URL` is used instead when set.
 */
export async function createTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const server = await holdTestServer(options.env ?? process.env);
  try {
    const name = `baton_test_${process.pid}_${processStartTime(process.pid) ?? 0}_${randomBytes(5).toString('hex')}`;
    await withAdmin(server.adminUrl, async (admin) => {
      if (server.isOwn) await removeLeftoversOnce(admin, server);
      await cloneTemplate(admin, name, { ...options, server });
    });
    const asAdmin = (task: (admin: pg.Client) => Promise<void>) => withAdmin(server.adminUrl, task);
    let dropped: Promise<void> | undefined;
    const drop = async () => {
      try {
        await asAdmin(async (admin) => {
          for (const each of [name, copyOf(name)])
            await admin.query(`DROP DATABASE IF EXISTS ${each} WITH (FORCE)`);
        });
      } finally {
        await server.release();
      }
    };
    return {
      name,
      url: withDatabase(server.adminUrl, name),
      close: () => asAdmin((admin) => shut(admin, name)),
      reopen: () => asAdmin((admin) => open(admin, name)),
      keepCopy: () =>
        asAdmin(async (admin) => {
          await shut(admin, name);
          await admin.query(`CREATE DATABASE ${copyOf(name)} TEMPLATE ${name}`);
          await open(admin, name);
        }),
      putCopyBack: () =>
        asAdmin(async (admin) => {
          await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
          await admin.query(`ALTER DATABASE ${copyOf(name)} RENAME TO ${name}`);
        }),
      whileLocked: (table, work) =>
        withAdmin(withDatabase(server.adminUrl, name), async (admin) => {
          await admin.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
          await work();
        }),
      sql: (text) =>
        withAdmin(withDatabase(server.adminUrl, name), async (admin) => void (await admin.query(text))),
      [Symbol.asyncDispose]: () => (dropped ??= drop()),
    };
  } catch (error) {
    await server.release();
    throw error;
  }
}

const copyOf = (name: string): string => `${name}_copy`;

async function shut(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
  await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ]);
}

async function open(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
}

interface TemplateContext extends TestDatabaseOptions {
  server: TestServer;
}

async function cloneTemplate(admin: pg.Client, name: string, context: TemplateContext): Promise<void> {
  for (let tries = 1; ; tries++) {
    const template = await haveTemplate(admin, context);
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return;
    } catch (error) {
      // No such database: another process has just dropped the template as one of the oldest.
      if ((error as { code?: string }).code !== '3D000' || tries >= 3) throw error;
    }
  }
}

/** Returns the name of the finished template; a mark on the database (`datistemplate`) distinguishes it from a half-made one. */
async function haveTemplate(admin: pg.Client, context: TemplateContext): Promise<string> {
  const name = `baton_template_${createHash('sha256').update(context.templateKey).digest('hex').slice(0, 20)}`;
  if (await isTemplate(admin, name)) return name;
  await admin.query(`SELECT pg_advisory_lock(${lockKey})`);
  try {
    if (await isTemplate(admin, name)) return name;
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${name}`);
    await context.migrate(withDatabase(context.server.adminUrl, name));
    await admin.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE true`);
    return name;
  } finally {
    await admin.query(`SELECT pg_advisory_unlock(${lockKey})`);
  }
}

async function isTemplate(admin: pg.Client, name: string): Promise<boolean> {
  const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
  return found.rowCount === 1;
}

/** Addresses of the servers that this process has looked through: its files may use several. */
const looked = new Set<string>();

/** Drops databases of killed test processes, and the oldest templates; one process at a time, each once a server. */
async function removeLeftoversOnce(admin: pg.Client, { adminUrl }: TestServer): Promise<void> {
  if (looked.has(adminUrl)) return;
  looked.add(adminUrl);
  const lock = await admin.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${lockKey}) AS mine`);
  if (!lock.rows[0]?.mine) return;
  try {
    const { rows } = await admin.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname LIKE 'baton\\_t%' ORDER BY oid DESC`,
    );
    const names = rows.map((row) => row.datname);
    const templates = names.filter((name) => name.startsWith('baton_template_'));
    for (const name of templates.slice(keptTemplates)) {
      await admin.query(`ALTER DATABASE ${name} WITH IS_TEMPLATE false`);
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
    for (const name of names.filter((each) => each.startsWith('baton_test_'))) {
      const [pid, startTime] = name.split('_').slice(2);
      if (processStartTime(Number(pid)) === startTime) continue;
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  } finally {
    await admin.query(`SELECT pg_advisory_unlock(${lockKey})`);
  }
}

async function withAdmin<T>(url: string, task: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    return await task(admin);
  } finally {
    await admin.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
