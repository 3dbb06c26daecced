import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { appArguments, compileCache, createTestDatabase, tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';

/** A worker of its own process. */
function start(env: Record<string, string>, nodeArguments: readonly string[] = []) {
  const child = spawn(process.execPath, [...nodeArguments, ...appArguments('worker')], {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  return Object.assign(child, { told: () => told });
}

/** An empty one: the program makes its tables. */
const database = () => createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });

it('does not call itself ready where its state folder cannot be made, and names the folder and the way out', async () => {
  await using db = await database();
  await using folder = await tempDir();
  const file = path.join(folder.path, 'file');
  await writeFile(file, '');
  for (const [home, way] of [
    [path.join(file, 'below'), 'Make the folder writable for this user, or set BATON_HOME'],
    ['/proc/baton', 'mount that, or set BATON_HOME'],
  ] as const) {
    const child = start({ DATABASE_URL: db.url, BATON_HOME: home });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, child.told()]).toEqual([2, expect.stringContaining('STATE_UNWRITABLE')]);
    expect(child.told()).toContain(home);
    expect(child.told()).toContain(way);
    expect(child.told()).not.toContain('worker ready');
  }
});

it('makes folders that its owner can use under a umask that takes the owner’s rights', async () => {
  await using db = await database();
  await using folder = await tempDir();
  const home = path.join(folder.path, 'home');
  const umask = ['--import', 'data:text/javascript,process.umask(0o777)'];
  const child = start({ DATABASE_URL: db.url, BATON_HOME: home }, umask);
  const exit = once(child, 'exit');
  await until(() => child.told().includes('worker ready') || undefined, {
    what: 'the worker is ready',
    timeoutMs: 30_000,
  });
  for (const each of [home, path.join(home, 'worker')])
    expect((await stat(each)).mode & 0o777, each).toBe(0o700);
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
