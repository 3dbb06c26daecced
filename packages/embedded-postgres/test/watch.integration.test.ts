import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { startEmbeddedPostgres } from '../src/index.ts';
import { homeAt } from '../src/home.ts';
import { findPostmaster } from '../src/postmaster.ts';
import { findProcess } from '../src/process-table.ts';
import { watchServer } from '../src/watch.ts';
import { query, spawnUser, startUser, tempHome, until } from './support.ts';

const decider = fileURLToPath(new URL('../src/watch-main.ts', import.meta.url));

/** The pid of the watch of a home's server. */
const watchOf = async (home: string) =>
  Number((await readFile(path.join(home, 'pg-watch'), 'utf8')).split(' ')[0]);

/** What the watch asks before it ends a server. */
function decide(home: string, pid: number): Promise<number | null> {
  const child = spawn(process.execPath, ['--conditions=@baton/source', decider, home, String(pid)]);
  return new Promise((resolve) => child.once('exit', resolve));
}

test.concurrent(
  'a server whose last user was killed is ended with its watch, and what it holds is there at the next start',
  async () => {
    await using place = await tempHome();
    const killed = await startUser(place.home);
    const watch = await watchOf(place.home);
    expect(findProcess(watch)?.commandLine).toContain('baton-postgres-watch');
    await query(killed.server.url, "CREATE TABLE kept AS SELECT 'row' AS name");
    await killed.kill();
    await until('the server is ended', () => findProcess(killed.server.pid) === undefined);
    await until('its watch has ended', () => findProcess(watch) === undefined);

    const next = await startUser(place.home);
    expect(await query(next.server.url, 'SELECT name FROM kept')).toEqual([{ name: 'row' }]);
    expect(await decide(place.home, next.server.pid)).toBe(3);
    expect(await query(next.server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
    const last = await watchOf(place.home);
    expect(await next.end()).toBe(0);
    await until('the watch ends with the server', () => findProcess(last) === undefined);
  },
);

test.concurrent('a server whose only user is killed while it starts is ended', async () => {
  await using place = await tempHome();
  await (await startEmbeddedPostgres({ home: place.home })).release();
  const child = spawnUser(place.home);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const postmaster = () => findPostmaster(path.join(place.home, 'pg'));
  await until('the server starts', async () => (await postmaster()) !== undefined);
  child.kill('SIGKILL');
  await ended;
  const { pid = 0 } = (await postmaster()) ?? {};
  await until('the server is ended', () => findProcess(pid) === undefined);
});

test.concurrent('a server whose starter is killed before it can name it to the watch is ended', async () => {
  await using place = await tempHome();
  const server = spawn('sleep', ['120']);
  const ended = new Promise((resolve) => server.once('exit', (_, signal) => resolve(signal)));
  const home = homeAt(place.home);
  await mkdir(home.dataDir, { recursive: true });
  const starter = `
    const { beginWatch } = await import(${JSON.stringify(import.meta.resolve('../src/watch.ts'))});
    const { homeAt } = await import(${JSON.stringify(import.meta.resolve('../src/home.ts'))});
    await beginWatch(homeAt(process.argv[1]), '/no/decider');
    process.kill(process.pid, 'SIGKILL');`;
  const argv = ['--conditions=@baton/source', '--input-type=module', '-e', starter, place.home];
  const killed = spawn(process.execPath, argv, { stdio: 'ignore' });
  expect(await new Promise((resolve) => killed.once('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL');
  await writeFile(path.join(home.dataDir, 'postmaster.pid'), `${server.pid ?? 0}\n${home.dataDir}\n`);
  expect(await ended, 'a fast shutdown').toBe('SIGINT');
});

test.concurrent('an unused server whose installation was removed is ended', async () => {
  await using place = await tempHome();
  const server = spawn('sleep', ['120']);
  const ended = new Promise((resolve) => server.once('exit', (_, signal) => resolve(signal)));
  const home = homeAt(place.home);
  await mkdir(home.dataDir, { recursive: true });
  const watched = async (pid: number) => {
    await watchServer(home, { pid }, path.join(place.folder, 'watch-main.js'));
    return watchOf(place.home);
  };
  const other = spawn('sleep', ['120']); // what has the number of a server that has ended
  const blind = await watched(other.pid ?? 0);
  await writeFile(path.join(home.dataDir, 'postmaster.pid'), `${server.pid ?? 0}\n${home.dataDir}\n`);
  await watched(server.pid ?? 0);
  expect(await ended, 'a fast shutdown').toBe('SIGINT');
  expect([other.exitCode, other.signalCode], 'what is no server of that folder').toEqual([null, null]);
  process.kill(blind);
  other.kill();
});

test.concurrent('a server whose folder was deleted is ended', async () => {
  await using place = await tempHome();
  const user = await startUser(place.home);
  await user.kill();
  await rm(place.home, { recursive: true, maxRetries: 10, retryDelay: 50 });
  expect(await decide(place.home, user.server.pid)).toBe(0);
  await until('the server is gone', () => findProcess(user.server.pid) === undefined);
});
