import { randomUUID } from 'node:crypto';

import pg from 'pg';
import { expect, test } from 'vitest';

import { createTestDatabase, tempDir } from '../src/index.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const makeTable = async (url: string) => {
  await query(url, "CREATE TABLE thing (name text); INSERT INTO thing VALUES ('from the template')");
};

test('two databases of one template hold the migrated schema and do not see each other', async () => {
  const options = { migrate: makeTable, templateKey: 'two-databases' };
  await using one = await createTestDatabase(options);
  await using two = await createTestDatabase(options);
  await query(one.url, "INSERT INTO thing VALUES ('mine')");
  expect(await query(one.url, 'SELECT count(*)::int AS count FROM thing')).toEqual([{ count: 2 }]);
  expect(await query(two.url, 'SELECT count(*)::int AS count FROM thing')).toEqual([{ count: 1 }]);
});

test('the template is migrated once, however many ask for it at the same time', async () => {
  let migrations = 0;
  const templateKey = randomUUID();
  const migrate = async (url: string) => {
    migrations++;
    await makeTable(url);
  };
  const databases = await Promise.all(
    Array.from({ length: 6 }, () => createTestDatabase({ migrate, templateKey })),
  );
  const rows = await Promise.all(databases.map(({ url }) => query(url, 'SELECT name FROM thing')));
  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  expect(migrations).toBe(1);
  expect(rows).toEqual(databases.map(() => [{ name: 'from the template' }]));
});

test('a migration that fails is reported, and the next try begins with an empty database', async () => {
  const templateKey = randomUUID();
  const fail = async (url: string) => {
    await makeTable(url);
    throw new Error('half-way');
  };
  await expect(createTestDatabase({ migrate: fail, templateKey })).rejects.toThrow('half-way');
  await using database = await createTestDatabase({ migrate: makeTable, templateKey });
  expect(await query(database.url, 'SELECT count(*)::int AS count FROM thing')).toEqual([{ count: 1 }]);
});

test('the database is gone when it is disposed of, open connections or not', async () => {
  await using keeper = await createTestDatabase({ migrate: makeTable, templateKey: 'disposal' });
  const database = await createTestDatabase({ migrate: makeTable, templateKey: 'disposal' });
  const open = new pg.Client({ connectionString: database.url });
  const lost = new Promise((resolve) => open.on('error', resolve));
  await open.connect();
  await database[Symbol.asyncDispose]();
  await lost;
  const left = await query(keeper.url, `SELECT 1 FROM pg_database WHERE datname = '${database.name}'`);
  expect(left).toEqual([]);
});

test('the server of the last database ends with it, and DATABASE_URL names another server to use', async () => {
  await using home = await tempDir();
  const options = { migrate: makeTable, templateKey: 'other-home' };
  const database = await createTestDatabase({ ...options, env: { BATON_TEST_PG_HOME: home.path } });
  const inside = await createTestDatabase({ ...options, env: { DATABASE_URL: database.url } });
  expect(new URL(inside.url).port).toBe(new URL(database.url).port);
  await inside[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await expect(query(database.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
