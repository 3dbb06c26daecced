import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { createTestDatabase, until, type TestDatabase } from '@baton/testkit';
import { migrate, openStore } from '../src/index.ts';
import { openDb } from '../src/open.ts';
import { draft } from './support/builders.ts';
import { flow } from './support/flow.ts';

let database: TestDatabase | undefined;
afterEach(async () => {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
});

/** What an administrator may have set for a database; each of them breaks something. */
const hostile: Readonly<Record<string, string>> = {
  synchronous_commit: 'off',
  session_replication_role: 'replica',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  statement_timeout: '200ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '300ms',
  search_path: 'nowhere',
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  lc_messages: 'C',
};

/** As another database of the server sees it, untouched by those settings. */
async function admin(url: string, text: string): Promise<Record<string, unknown>[]> {
  const other = new URL(url);
  other.pathname = '/postgres';
  const client = new pg.Client({ connectionString: other.href });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function empty(): Promise<TestDatabase> {
  return (database = await createTestDatabase({
    migrate: () => Promise.resolve(),
    templateKey: 'empty',
  }));
}

it('works on a database with settings of its own, from the migration to the landing, and keeps listening', async () => {
  const { url, name } = await empty();
  for (const [setting, value] of Object.entries(hostile))
    await admin(url, `ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  expect(await migrate(url)).toEqual(['0001_baseline']);
  const store = await openStore({ url });
  let woken = 0;
  const stop = await store.feed.onWake('work', () => {
    woken++;
  });
  const listeners = () =>
    admin(url, `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND query LIKE 'LISTEN%'`);
  try {
    const first = await until(async () => (await listeners())[0], { what: 'it listens' });
    const { runId } = await flow(store).open([draft('a'), draft('b', { dependsOn: ['a'] })]);
    for (const key of ['a', 'b']) {
      await flow(store).finish(runId);
      expect(await flow(store).landAll(runId)).toEqual([key]);
    }
    expect(await store.runs.settle(runId)).toMatchObject({ status: 'done' });
    expect((await store.audit.verify()).broken).toEqual([]);
    const before = woken;
    await until(() => Promise.resolve(woken > before + 1), { what: 'idle for longer than its limit' });
    expect(await listeners(), 'the same connection').toEqual([first]);
  } finally {
    await stop();
    await store.close();
  }
});

it('keeps a stronger commit than its own, cuts off no statement, compiles nothing, and asks for the settings once a connection', async () => {
  const { url, name } = await empty();
  await admin(url, `ALTER DATABASE ${name} SET synchronous_commit = 'remote_apply'`);
  await admin(url, `ALTER DATABASE ${name} SET statement_timeout = '100ms'`);
  await admin(url, `ALTER DATABASE ${name} SET jit = 'on'`);
  const { db, close } = openDb({ url, poolSize: 1 });
  await db.pool.query('SELECT pg_sleep(0.2)');
  const shown = await db.pool.query<{ commit: string; path: string; pid: number }>(
    `SELECT current_setting('synchronous_commit') AS commit, current_setting('search_path') AS path, current_setting('jit') AS jit, pg_backend_pid() AS pid`,
  );
  expect(shown.rows[0]).toMatchObject({ commit: 'remote_apply', path: 'public', jit: 'off' });
  await db.pool.query(`SET search_path = 'elsewhere'`);
  const again = await db.pool.query<{ path: string; pid: number }>(
    `SELECT current_setting('search_path') AS path, pg_backend_pid() AS pid`,
  );
  expect(again.rows[0]).toEqual({ path: 'elsewhere', pid: shown.rows[0]?.pid });
  await close();
});

it('says which right a user lacks, and which setting it may not undo', async () => {
  const { url, name } = await empty();
  const role = `${name}_user`;
  await admin(url, `CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
  const as = new URL(url);
  [as.username, as.password] = [role, 'p'];
  try {
    await expect(migrate(as.href)).rejects.toMatchObject({
      code: 'DATABASE_DENIED',
      message: expect.stringContaining('schema public') as string,
      fix: expect.stringContaining('owner of the database') as string,
    });
    await admin(url, `ALTER DATABASE ${name} SET session_replication_role = 'replica'`);
    const { db, close } = openDb({ url: as.href });
    await expect(migrate(as.href)).rejects.toMatchObject({
      code: 'DATABASE_DENIED',
      message: expect.stringContaining('session_replication_role') as string,
      fix: expect.stringContaining('RESET') as string,
    });
    await expect(db.pool.query('SELECT 1')).rejects.toMatchObject({ code: '42501' });
    await close();
  } finally {
    await admin(url, `DROP ROLE ${role}`);
  }
});

it('needs no superuser: the owner of the database makes the tables, and adds, claims, lands and takes in', async () => {
  const { url, name } = await empty();
  const role = `${name}_owner`;
  await admin(url, `CREATE ROLE ${role} LOGIN NOSUPERUSER PASSWORD 'p'`);
  await admin(url, `ALTER DATABASE ${name} OWNER TO ${role}`);
  const as = Object.assign(new URL(url), { username: role, password: 'p' });
  try {
    expect(await migrate(as.href)).toEqual(['0001_baseline']);
    const store = await openStore({ url: as.href });
    const { runId } = await flow(store).open([draft('a'), draft('b', { dependsOn: ['a'] })]);
    for (const key of ['a', 'b']) {
      await flow(store).finish(runId);
      expect(await flow(store).landAll(runId)).toEqual([key]);
    }
    expect((await store.audit.verify()).broken).toEqual([]);
    await store.close();
  } finally {
    await database?.[Symbol.asyncDispose]();
    database = undefined;
    await admin(url, `DROP ROLE ${role}`);
  }
});

it('checks each statement by itself again as soon as a change is over, in the same transaction and after a refused one', async () => {
  const { url } = await empty();
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const unchecked = `SELECT baton_add_tasks('[]', '[]', '{}')`;
  const add = (runId: string) => {
    const request = JSON.stringify({ run_id: runId, tasks: [], edges: [], by: {} });
    return client.query('SELECT baton_add($1)', [request]);
  };
  try {
    await client.query('BEGIN');
    await add('00000000-0000-0000-0000-000000000000');
    await expect(client.query(unchecked)).rejects.toMatchObject({ code: 'BA001' });
    await client.query('ROLLBACK; BEGIN; SAVEPOINT one');
    await expect(add('no id')).rejects.toMatchObject({ code: '22P02' });
    await client.query('ROLLBACK TO SAVEPOINT one');
    await expect(client.query(unchecked)).rejects.toMatchObject({ code: 'BA001' });
  } finally {
    await client.end();
  }
});

it('refuses a database that is not UTF-8, and takes the one that it names instead', async () => {
  const { url, name } = await empty();
  const at = (other: string) => Object.assign(new URL(url), { pathname: `/${other}` }).href;
  const [ascii, better] = [`${name}_ascii`, `${name}_utf8`];
  try {
    await admin(
      url,
      `CREATE DATABASE ${ascii} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    );
    const refused: unknown = await migrate(at(ascii)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'DATABASE_ENCODING' });
    const [statement = ''] = /CREATE DATABASE .*/.exec((BatonError.is(refused) && refused.fix) || '') ?? [];
    await admin(url, statement.replace('baton', better));
    expect(await migrate(at(better))).toEqual(['0001_baseline']);
  } finally {
    for (const other of [ascii, better]) await admin(url, `DROP DATABASE IF EXISTS ${other} WITH (FORCE)`);
  }
});
