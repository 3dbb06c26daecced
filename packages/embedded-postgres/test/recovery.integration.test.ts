import { readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import pg from 'pg';
import { expect, test } from 'vitest';

import { startEmbeddedPostgres, type EmbeddedPostgres } from '../src/index.ts';
import { findProcess } from '../src/process-table.ts';
import { query, spawnUser, startUser, tempHome, until } from './support.ts';

async function killServer(server: EmbeddedPostgres): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await until('the server is dead', () => findProcess(server.pid) === undefined);
}

test('after kill -9 of the server a pool finds it again on the same port, with every committed row', async () => {
  await using place = await tempHome();
  await using server = await startEmbeddedPostgres({ home: place.home });
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on('error', () => undefined); // idle connections die with the server
  await pool.query('CREATE TABLE row AS SELECT generate_series(1, 1000) AS n');
  const port = server.port;
  await killServer(server);
  // The session notices the death of its server by itself, a moment later.
  await until('the session is lost', () =>
    pool.query('SELECT 1').then(
      () => false,
      () => true,
    ),
  );

  expect(await server.ensureRunning()).toBe('restarted');
  expect(server.port).toBe(port);
  const { rows } = await pool.query('SELECT count(*)::int AS count, sum(n)::int AS sum FROM row');
  expect(rows).toEqual([{ count: 1_000, sum: 500_500 }]);
  expect(await server.ensureRunning()).toBe('running');
  await pool.end();
});

test('two processes that find the server dead restart it once', async () => {
  await using place = await tempHome();
  await using one = await startEmbeddedPostgres({ home: place.home });
  await using two = await startEmbeddedPostgres({ home: place.home });
  await killServer(one);
  const done = await Promise.all([one.ensureRunning(), two.ensureRunning()]);
  expect(done).toEqual(['restarted', 'restarted']);
  expect(one.pid).toBe(two.pid);
  expect(await query(one.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
});

test('a session that computes on after its server was killed does not keep the next one from starting', async () => {
  await using place = await tempHome();
  await using server = await startEmbeddedPostgres({ home: place.home });
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const computing = client.query('SELECT count(*) FROM generate_series(1, 100000000000)').catch(() => 'lost');
  await killServer(server);
  expect(await server.ensureRunning()).toBe('restarted');
  expect(await computing).toBe('lost');
  expect(findProcess(rows[0]?.pid ?? 0)).toBeUndefined();
  expect(await query(server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
});

test('a killed starter and a killed server together leave nothing in the way', async () => {
  await using place = await tempHome();
  const killed = await startUser(place.home);
  await query(killed.server.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  process.kill(killed.server.pid, 'SIGKILL');
  await killed.kill();
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(await query(server.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
});

test('a first start that is killed while the cluster is being made does not keep the next one from making it', async () => {
  await using place = await tempHome();
  const starter = spawnUser(place.home);
  await until('initdb is at work', async () => {
    const names = await readdir(place.home, { recursive: true }).catch(() => []);
    return names.some((name) => /^pg\.new-[^/]+\/data\/base\/1\//.test(name));
  });
  starter.kill('SIGKILL');
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(await query(server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
});

test('a pid file that names an unrelated living process does not keep the server from starting', async () => {
  await using place = await tempHome();
  await (await startEmbeddedPostgres({ home: place.home })).release();
  const dataDir = path.join(place.home, 'pg');
  await writeFile(
    path.join(dataDir, 'postmaster.pid'),
    `${process.pid}\n${dataDir}\n1\n5432\n\n127.0.0.1\n\nready   \n`,
  );
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(await query(server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
});

test('when another program has the last port, the server takes a free one', async () => {
  await using place = await tempHome();
  const before = await startEmbeddedPostgres({ home: place.home });
  await before.release();
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(before.port, '127.0.0.1', resolve));
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(server.port).not.toBe(before.port);
  expect(await query(server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
  await new Promise((resolve) => squatter.close(resolve));
});

test('a log that grew beyond 5 MB is started afresh at the next start', async () => {
  await using place = await tempHome();
  await (await startEmbeddedPostgres({ home: place.home })).release();
  const log = path.join(place.home, 'server.log');
  await writeFile(log, 'x'.repeat(5 * 1024 * 1024 + 1));
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(server.port).toBeGreaterThan(0);
  expect((await stat(log)).size).toBeLessThan(100_000);
});

test('a database that the server is still making for a killed process is waited for, and taken', async () => {
  await using place = await tempHome();
  await using server = await startEmbeddedPostgres({ home: place.home });
  // What CREATE DATABASE does of its own: nobody sees the row before it is whole, and nobody may make another.
  const making = new pg.Client({ connectionString: server.url });
  await making.connect();
  await making.query(
    `BEGIN; INSERT INTO pg_database SELECT (jsonb_populate_record(d, '{"oid": 99999, "datname": "late"}')).*
      FROM pg_database d WHERE datname = 'postgres'`,
  );
  const started = startEmbeddedPostgres({ home: place.home, database: 'late' });
  await until('the name is waited for', async () => {
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE DATABASE%' AND wait_event_type = 'Lock'";
    return (await query(server.url, waiting)).length === 1;
  });
  await making.query('COMMIT');
  await making.end();
  await using late = await started;
  expect(new URL(late.url).pathname).toBe('/late');
});
