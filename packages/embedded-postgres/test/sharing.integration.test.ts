import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { startEmbeddedPostgres } from '../src/index.ts';
import { findProcess } from '../src/process-table.ts';
import { query, startUser, tempHome } from './support.ts';

test('three processes that start at the same moment share one server, and the last to leave ends it', async () => {
  await using place = await tempHome();
  const users = await Promise.all([startUser(place.home), startUser(place.home), startUser(place.home)]);
  const [one, two, three] = users as [(typeof users)[0], (typeof users)[0], (typeof users)[0]];
  expect(new Set(users.map(({ server }) => server.pid)).size).toBe(1);
  expect(new Set(users.map(({ server }) => server.url)).size).toBe(1);

  expect([await one.end(), await two.end()]).toEqual([0, 0]);
  expect(await query(three.server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
  expect(await three.end()).toBe(0);
  expect(findProcess(three.server.pid)).toBeUndefined();
  expect(await readdir(path.join(place.home, 'pg-users'))).toEqual([]);
  expect(await readdir(path.join(place.home, 'pg-waiting'))).toEqual([]);
});

test('a server left by a killed process is taken over, and its share no longer counts', async () => {
  await using place = await tempHome();
  const killed = await startUser(place.home);
  await query(killed.server.url, "CREATE TABLE kept AS SELECT 'row' AS name");
  await killed.kill();
  expect(findProcess(killed.server.pid)).toBeDefined();

  const server = await startEmbeddedPostgres({ home: place.home });
  expect(server.pid).toBe(killed.server.pid);
  expect(await query(server.url, 'SELECT name FROM kept')).toEqual([{ name: 'row' }]);
  await server.release();
  expect(findProcess(killed.server.pid)).toBeUndefined();
});

test('a process may hold several shares, and releasing one twice gives up only that one', async () => {
  await using place = await tempHome();
  const one = await startEmbeddedPostgres({ home: place.home });
  const two = await startEmbeddedPostgres({ home: place.home, database: 'another one' });
  await one.release();
  await one.release();
  expect(await query(two.url, 'SELECT current_database() AS name')).toEqual([{ name: 'another one' }]);
  await two.release();
  expect(findProcess(two.pid)).toBeUndefined();
});

test('a database that holds nothing takes less than 45 MB of the disk', async () => {
  await using place = await tempHome();
  await using server = await startEmbeddedPostgres({ home: place.home });
  expect(await query(server.url, 'SHOW wal_segment_size')).toEqual([{ wal_segment_size: '4MB' }]);
  const entries = await readdir(place.home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) => stat(path.join(parentPath, name)).then(({ blocks }) => blocks * 512)),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(45_000_000);
});

test('data and password outlive a stop, and the next server takes the same port', async () => {
  await using place = await tempHome();
  const before = await startEmbeddedPostgres({ home: place.home });
  await query(before.url, 'CREATE TABLE kept AS SELECT 7 AS number');
  await before.release();
  await using after = await startEmbeddedPostgres({ home: place.home });
  expect(after.pid).not.toBe(before.pid);
  expect(after.url).toBe(before.url);
  expect(await query(after.url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
});

test('two homes have two servers that know nothing of each other', async () => {
  await using place = await tempHome();
  await using one = await startEmbeddedPostgres({ home: path.join(place.folder, 'one') });
  await using two = await startEmbeddedPostgres({ home: path.join(place.folder, 'two') });
  expect(one.port).not.toBe(two.port);
  const strange = new URL(two.url);
  strange.port = String(one.port);
  await expect(query(strange.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
});
