import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { createTestDatabase, tempDir, type TestDatabase } from '@baton/testkit';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate, migrateOnce, openStore } from '../src/index.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));
let database: TestDatabase | undefined;
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

async function empty(): Promise<string> {
  database = await createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
  return database.url;
}

async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Runs the Prisma command line on the WebAssembly engine of this repository. */
async function prisma(url: string, ...args: string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const engine = fileURLToPath(new URL('../../../tooling/schema-engine/schema-engine.mjs', import.meta.url));
  const env = { PATH, HOME, DATABASE_URL: url, PRISMA_SCHEMA_ENGINE_BINARY: engine, CHECKPOINT_DISABLE: '1' };
  const { stdout } = await run(`${folder}node_modules/.bin/prisma`, args, { cwd: folder, env });
  return stdout;
}

it('brings an empty database to the schema, once, when twenty callers start at the same time', async () => {
  const url = await empty();
  const applied = await Promise.all(Array.from({ length: 20 }, () => migrate(url)));
  const names = (await sql(url, 'SELECT migration_name FROM _prisma_migrations ORDER BY migration_name')).map(
    (row) => row['migration_name'],
  );
  expect(names).toEqual(['0001_baseline']);
  expect(applied.filter((each) => each.length > 0)).toEqual([names]);
  expect(await migrate(url)).toEqual([]);
});

it('says of a database that was not migrated what to call', async () => {
  const url = await empty();
  await expect(openStore({ url })).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    fix: expect.stringContaining('migrate(url)') as string,
  });
});

it(
  'leaves a database that prisma calls up to date, without drift from the schema',
  { timeout: 120_000 },
  async () => {
    const url = await empty();
    await migrate(url);
    expect(await prisma(url, 'migrate', 'deploy')).toContain('No pending migrations to apply');
    expect(await prisma(url, 'migrate', 'status')).toContain('Database schema is up to date');
    const diff = await prisma(
      url,
      'migrate',
      'diff',
      '--from-config-datasource',
      '--to-schema',
      'prisma/schema.prisma',
      '--exit-code',
    );
    expect(diff).toContain('No difference detected');
  },
);

it('accepts a database that prisma itself migrated', { timeout: 120_000 }, async () => {
  const url = await empty();
  await prisma(url, 'migrate', 'deploy');
  expect(await migrate(url)).toEqual([]);
});

it.each([
  ['failed before', `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '0001%'`],
  ['was edited', `UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name LIKE '0001%'`],
  [
    'does not know',
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('z', 'x', '9999_future', now())`,
  ],
])('refuses a database whose migration %s, naming the way out', async (words, change) => {
  const url = await empty();
  await migrate(url);
  await sql(url, change);
  const error: unknown = await migrate(url).catch((failure: unknown) => failure);
  expect(BatonError.is(error, 'MIGRATION_FAILED') && error.message).toContain(words);
  expect(BatonError.is(error) && error.fix).toBeTruthy();
});

it('takes a stamp for the schema, except of another program or for a database that was just made', async () => {
  const url = await empty();
  await using place = await tempDir();
  const stampFile = path.join(place.path, 'schema');
  expect(await migrateOnce(url, { stampFile, isNew: false })).toEqual(['0001_baseline']);
  const nowhere = 'postgresql://nobody@127.0.0.1:9/none';
  expect(await migrateOnce(nowhere, { stampFile, isNew: false })).toEqual([]);
  await expect(migrateOnce(nowhere, { stampFile, isNew: true })).rejects.toThrow();
  await writeFile(stampFile, 'of another program');
  expect(await migrateOnce(url, { stampFile, isNew: false })).toEqual([]);
  expect(await migrateOnce(nowhere, { stampFile, isNew: false })).toEqual([]);
});

it('says when Postgres is not there or refuses the password', async () => {
  const gone: unknown = await migrate('postgresql://nobody@127.0.0.1:1/none').catch(
    (failure: unknown) => failure,
  );
  expect(BatonError.is(gone, 'DATABASE_UNREACHABLE') && gone.retryable).toBe(true);
  const wrong = new URL(await empty());
  wrong.password = 'wrong';
  await expect(migrate(wrong.href)).rejects.toSatisfy((error) => BatonError.is(error, 'DATABASE_LOGIN'));
});

it('says of a disk that is full while it migrates what to do, and migrates when there is room', async () => {
  const url = await empty();
  await sql(
    url,
    `CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS
       $$ BEGIN IF EXISTS (SELECT FROM pg_class WHERE relname = 'task') THEN
         RAISE 'could not extend file' USING ERRCODE = '53100'; END IF; END $$;
     CREATE EVENT TRIGGER full_disk ON ddl_command_end EXECUTE FUNCTION full_disk()`,
  );
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'DATABASE_FULL',
    fix: expect.stringContaining('Make room on the disk') as string,
  });
  await sql(url, 'DROP EVENT TRIGGER full_disk');
  expect(await migrate(url)).toEqual(['0001_baseline']);
});

it('refuses a database of before the schema became one migration, names the way out and changes nothing', async () => {
  const url = await empty();
  await migrate(url);
  await sql(
    url,
    `DELETE FROM _prisma_migrations;
     INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       SELECT name, 'x', name, now() FROM unnest(ARRAY['0001_init', '0018_budget', '0027_waits']) name`,
  );
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    fix: expect.stringContaining('`baton export`') as string,
  });
  expect(await sql(url, 'SELECT count(*)::int AS n FROM _prisma_migrations')).toEqual([{ n: 3 }]);
});

it('applies a migration that failed before once its row is gone, as the way out says', async () => {
  const undone = await empty();
  await sql(
    undone,
    `CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL,
      finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
      started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`,
  );
  await sql(
    undone,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('z', 'x', '0001_baseline')`,
  );
  const error: unknown = await migrate(undone).catch((failure: unknown) => failure);
  const [, statement = ''] = /`(DELETE [^`]*)`/.exec((BatonError.is(error) && error.fix) || '') ?? [];
  await sql(undone, statement);
  expect(await migrate(undone)).toEqual(['0001_baseline']);
});

const shop = 'CREATE TABLE customer (id int); CREATE TABLE run (id int); INSERT INTO customer VALUES (1);';
const prismaShop = `${shop} CREATE TABLE _prisma_migrations (migration_name text); INSERT INTO _prisma_migrations VALUES ('20240101_init');`;

it.each([
  ['tables', shop, 'the tables customer, run'],
  ['migrations of Prisma', prismaShop, 'the tables customer, run'],
  ['a view alone', 'CREATE VIEW report AS SELECT 1 AS one;', 'the tables report'],
])(
  'leaves a database of another application with %s as it is, and names the way out',
  async (_, made, what) => {
    const url = await empty();
    await sql(url, made);
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname`;
    const before = await sql(url, tables);
    const error: unknown = await migrate(url).catch((failure: unknown) => failure);
    expect(BatonError.is(error, 'DATABASE_FOREIGN') && error.message).toContain(what);
    expect(BatonError.is(error) && error.fix).toContain('createdb baton');
    expect(await sql(url, tables)).toEqual(before);
    // As the way out says: a database of its own, on the same server.
    await sql(url, 'CREATE DATABASE baton_of_its_own');
    const own = new URL(url);
    own.pathname = '/baton_of_its_own';
    expect(await migrate(own.href)).toEqual(['0001_baseline']);
    await sql(url, 'DROP DATABASE baton_of_its_own');
  },
);

it('takes a database with tables of an extension alone for an empty one', async () => {
  const url = await empty();
  await sql(url, 'CREATE TABLE of_extension (id int); ALTER EXTENSION plpgsql ADD TABLE of_extension;');
  expect(await migrate(url)).toEqual(['0001_baseline']);
});

it('says that a database was restored in part where the list of migrations is missing', async () => {
  const url = await empty();
  await migrate(url);
  await sql(url, 'DROP TABLE _prisma_migrations');
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'DATABASE_FOREIGN',
    message: expect.stringContaining('restored in part') as string,
  });
});
