import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { findEmbeddedPostgres, startEmbeddedPostgres, stopUnusedPostgres } from '../src/index.ts';
import { findProcess } from '../src/process-table.ts';
import { query, startUser, tempHome, until } from './support.ts';

test('a server whose last user asked for it stays, is the one that the next user gets, and ends at once after one who did not ask', async () => {
  await using place = await tempHome();
  const first = await startEmbeddedPostgres({ home: place.home, keepSeconds: 600 });
  await first.release();
  expect(await query(first.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
  expect(await findEmbeddedPostgres(place.home)).toEqual({
    pid: first.pid,
    port: first.port,
    isUsed: false,
    keepSeconds: 600,
  });

  const second = await startEmbeddedPostgres({ home: place.home });
  expect(second.pid).toBe(first.pid);
  expect(await findEmbeddedPostgres(place.home)).toMatchObject({ isUsed: true });
  await second.release();
  expect(await findEmbeddedPostgres(place.home)).toBeNull();
});

test.concurrent(
  'a server that was kept ends by itself, with its watch, once it was unused for as long',
  async () => {
    await using place = await tempHome();
    const user = await startUser(place.home, { keepSeconds: 15 });
    const watch = Number((await readFile(path.join(place.home, 'pg-watch'), 'utf8')).split(' ')[0]);
    const begin = performance.now();
    expect(await user.end()).toBe(0);
    await until('the server has ended', () => findProcess(user.server.pid) === undefined);
    expect(performance.now() - begin).toBeGreaterThan(12_000);
    await until('its watch has ended', () => findProcess(watch) === undefined);
  },
  120_000,
);

test.concurrent(
  'a server that was kept ends soon once it was used again by a process that was killed, whatever was asked before',
  async () => {
    await using place = await tempHome();
    const first = await startUser(place.home, { keepSeconds: 600 });
    await first.end();
    const killed = await startUser(place.home, { keepSeconds: 600 });
    expect(killed.server.pid).toBe(first.server.pid);
    await killed.kill();
    await until('the server has ended', () => findProcess(killed.server.pid) === undefined);

    await (await startUser(place.home, { keepSeconds: 600 })).end();
    const line = () => readFile(path.join(place.home, 'pg-keep'), 'utf8');
    const before = await line();
    await (await startUser(place.home, { keepSeconds: 600 })).end();
    expect(await line(), 'the watch counts from its beginning').not.toBe(before);
    expect(await findEmbeddedPostgres(place.home)).toMatchObject({ isUsed: false, keepSeconds: 600 });
    await stopUnusedPostgres(place.home);
  },
  120_000,
);

test.concurrent(
  'a server that was kept ends soon when its folder is deleted',
  async () => {
    await using place = await tempHome();
    const server = await startEmbeddedPostgres({ home: place.home, keepSeconds: 600 });
    await server.release();
    await rm(place.home, { recursive: true, maxRetries: 10, retryDelay: 50 });
    await until('the server has ended', () => findProcess(server.pid) === undefined);
  },
  120_000,
);

test('a server that was kept is ended on request, and only while it is unused', async () => {
  await using place = await tempHome();
  const user = await startUser(place.home, { keepSeconds: 600 });
  expect(await stopUnusedPostgres(place.home)).toBe(false);
  expect(await query(user.server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
  await user.end();
  expect(await findEmbeddedPostgres(place.home)).toMatchObject({ pid: user.server.pid });
  expect(await stopUnusedPostgres(place.home)).toBe(true);
  expect(findProcess(user.server.pid)).toBeUndefined();
  expect(await stopUnusedPostgres(path.join(place.folder, 'nowhere'))).toBe(true);
});

test('a server is not kept where its watch was killed, for nothing would end it; the next user starts another watch', async () => {
  await using place = await tempHome();
  const watchFile = path.join(place.home, 'pg-watch');
  const watchPid = async () => Number((await readFile(watchFile, 'utf8')).split(' ')[0]);
  const first = await startUser(place.home, { keepSeconds: 600 });
  const killed = await watchPid();
  process.kill(-killed, 'SIGKILL');
  await until('the watch is gone', () => findProcess(killed) === undefined);
  await using second = await startEmbeddedPostgres({ home: place.home });
  expect(second.pid).toBe(first.server.pid);
  expect(await watchPid()).not.toBe(killed);
  process.kill(-(await watchPid()), 'SIGKILL');
  await second.release();
  await until('the watch is gone', async () => findProcess(await watchPid()) === undefined);
  await first.end();
  expect(findProcess(first.server.pid)).toBeUndefined();
});
