import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until, type TestDatabase } from '@baton/testkit';
import { z } from 'zod';
import { migrate, openStore } from '../src/index.ts';
import { openDb } from '../src/open.ts';
import { inTransaction } from '../src/db/query.ts';
import { by, draft, runDraft } from './support/builders.ts';
import { storeDatabase } from './support/database.ts';

let database: TestDatabase;
beforeAll(async () => (database = await storeDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

/** Another program that holds a lock until it is let go. */
async function holder(lock: string) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`BEGIN; ${lock}`);
  return Object.assign(client, { letGo: () => client.query('ROLLBACK') });
}

/** What is written in backticks in a way out, run as it stands there. */
async function carriedOut(fix: string): Promise<Record<string, unknown>[]> {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  const { rows } = await other.query<Record<string, unknown>>(/`([^`]+)`/.exec(fix)?.[1] ?? '');
  await other.end();
  return rows;
}

it('answers a call that waits for a lock within its limit, and it has no effect, not even later', async () => {
  const store = await openStore({ url: database.url, lockMs: 300 });
  const other = await holder('LOCK TABLE task IN ACCESS EXCLUSIVE MODE');
  try {
    const read = store.tasks.list({}).catch((error: unknown) => error);
    const write = store.runs.create(runDraft([draft('a')]), by).catch((error: unknown) => error);
    for (const failure of [await read, await write])
      expect(failure).toMatchObject({ code: 'DATABASE_INTERRUPTED', retryable: true });
    const late = store.tasks.list({}).catch((error: unknown) => error as { fix: string });
    const busy = () => other.query('SELECT 1 FROM pg_locks WHERE NOT granted');
    await until(async () => (await busy()).rows.length > 0, { what: 'a statement waits' });
    const fix = ((await write) as { fix: string }).fix;
    const pid = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    expect(await carriedOut(fix)).toMatchObject([{ pid }]);
    await late;
    await other.letGo();
    expect((await other.query('SELECT 1 FROM run')).rows).toEqual([]);
    await store.runs.create(runDraft([draft('a')]), by);
  } finally {
    await other.end();
    await store.close();
  }
});

it('tells one that has to wait for a migration of another program what it waits for', async () => {
  const other = await holder('SELECT pg_advisory_lock(72707369)');
  try {
    const refused = await migrate(database.url, { lockMs: 300 }).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'DATABASE_INTERRUPTED',
      message: expect.stringContaining('migrating') as string,
    });
    const pid = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    expect(await carriedOut((refused as { fix: string }).fix)).toEqual([{ pid }]);
  } finally {
    await other.end();
  }
  expect(await migrate(database.url)).toEqual([]);
});

it('undoes the claim of a process that was stopped in the middle of it, so that others go on', async () => {
  const { db, close } = openDb({ url: database.url, idleMs: 200 });
  const store = await openStore({ url: database.url });
  const { run } = await store.runs.create(runDraft([draft('b')]), by);
  const [holds, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = `SELECT id FROM run WHERE id = '${run.id}' FOR UPDATE`;
  const claiming = inTransaction(
    db,
    async (query) => {
      await query({ name: 'lock', text: lock, row: z.unknown(), readonly: false }, []);
      holds.resolve();
      await stopped.promise;
      await query({ name: 'go on', text: 'SELECT 1', row: z.unknown(), readonly: true }, []);
    },
    { endIdle: true },
  ).catch((error: unknown) => error);
  try {
    await holds.promise;
    await store.runs.pause(run.id, by);
    stopped.resolve();
    expect(await claiming).toMatchObject({ code: expect.stringMatching(/^DATABASE_/) as string });
  } finally {
    await store.close();
    await close();
  }
});
