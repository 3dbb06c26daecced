import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@baton/testkit';
import { migrate } from '../src/index.ts';
import { openPooler } from './support/pooler.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
});
afterEach(() => database[Symbol.asyncDispose]());

/** What the connections of a pooler were left with. */
async function leftBehind(): Promise<unknown> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS locks,
      (SELECT count(*)::int FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS tables`,
  );
  await client.end();
  return rows[0];
}

it.each(['newest', 'oldest'] as const)(
  'refuses a pooler that gives each transaction another connection (the %s one), and leaves nothing on them',
  async (lending) => {
    await using pooler = await openPooler(database.url, 'transaction', lending);
    await expect(migrate(pooler.url)).rejects.toMatchObject({
      code: 'DATABASE_POOLED',
      retryable: false,
      fix: expect.stringContaining('pool_mode = session') as string,
    });
    expect(await leftBehind()).toEqual({ locks: 0, tables: 0 });
    const shared = new pg.Client({ connectionString: pooler.url });
    await shared.connect();
    const { rows } = await shared.query(`SELECT current_setting('TimeZone') AS zone`);
    await shared.end();
    const fresh = new pg.Client({ connectionString: database.url });
    await fresh.connect();
    expect(rows).toEqual((await fresh.query(`SELECT current_setting('TimeZone') AS zone`)).rows);
    await fresh.end();
  },
);

it('refuses it on a migrated database, too, since no client would hear a NOTIFY there', async () => {
  await migrate(database.url);
  await using pooler = await openPooler(database.url, 'transaction');
  await expect(migrate(pooler.url)).rejects.toMatchObject({ code: 'DATABASE_POOLED' });
});

it('takes a pooler that keeps one connection for each client', async () => {
  await using pooler = await openPooler(database.url, 'session');
  expect(await migrate(pooler.url)).toEqual(['0001_baseline']);
});
