import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import type { TestDatabase } from '@baton/testkit';
import { openDb } from '../src/open.ts';
import { inTransaction, retried } from '../src/db/query.ts';
import { storeDatabase } from './support/database.ts';

let database: TestDatabase;
let admin: pg.Client;
const role = `few_${process.pid}`;
const mostConnections = 2;
beforeAll(async () => {
  database = await storeDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT ${mostConnections}`);
});
afterAll(async () => {
  await admin.query(`DROP ROLE ${role}`);
  await admin.end();
  await database[Symbol.asyncDispose]();
});

function few() {
  const url = new URL(database.url);
  Object.assign(url, { username: role, password: 'p' });
  return url.href;
}

it('waits its turn when the server gives fewer connections than it asks for', async () => {
  const { db, close } = openDb({ url: few(), poolSize: 10 });
  try {
    const slow = () => retried(false, () => db.pool.query(`SELECT pg_sleep(0.1)`));
    const kept = () => inTransaction(db, () => Promise.resolve('kept'));
    const answers = await Promise.allSettled(
      Array.from({ length: 16 }, (_, i) => (i % 4 === 0 ? kept() : slow())),
    );
    expect(answers.filter(({ status }) => status === 'rejected')).toEqual([]);
  } finally {
    await close();
  }
});

it('says that the server has no connection free, and how to have more, when others keep them all', async () => {
  const others = Array.from({ length: mostConnections }, () => new pg.Client({ connectionString: few() }));
  const { db, close } = openDb({ url: few() });
  try {
    await Promise.all(others.map((other) => other.connect()));
    const refused: unknown = await retried(false, () => db.pool.query('SELECT 1')).catch(
      (error: unknown) => error,
    );
    expect(BatonError.is(refused, 'DATABASE_UNREACHABLE') && refused.retryable).toBe(true);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^Postgres has no connection free: too many connections/) as string,
      fix: expect.stringContaining('max_connections') as string,
    });
  } finally {
    await close();
    await Promise.all(others.map((other) => other.end()));
  }
});
