import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { startEmbeddedPostgres } from '../src/index.ts';
import { canBeNobody, startUser, tempHome } from './support.ts';

test('a home that cannot be made is refused by name, with BATON_HOME as the way out', async () => {
  await using place = await tempHome();
  const file = path.join(place.folder, 'a-file');
  await writeFile(file, '');
  const home = path.join(file, 'home');
  await expect(startEmbeddedPostgres({ home })).rejects.toMatchObject({
    code: 'STATE_UNWRITABLE',
    message: expect.stringContaining(home) as string,
    fix: expect.stringContaining('BATON_HOME') as string,
  });
});

test('a home with a line break in its path is refused for that, with BATON_HOME as the way out', async () => {
  await using place = await tempHome();
  await expect(startEmbeddedPostgres({ home: `${place.home}\nx` })).rejects.toMatchObject({
    code: 'EMBEDDED_FAILED',
    fix: expect.stringContaining('Set BATON_HOME to a folder without a line break') as string,
  });
});

test.runIf(canBeNobody)('a home that belongs to somebody else is refused to an ordinary user', async () => {
  await using place = await tempHome();
  await mkdir(place.home);
  await chmod(place.folder, 0o755);
  await expect(startUser(place.home, { uid: 65_534 })).rejects.toThrow(/STATE_UNWRITABLE/);
});

test('a data directory of another major version is refused and left alone', async () => {
  await using place = await tempHome();
  await (await startEmbeddedPostgres({ home: place.home })).release();
  const versionFile = path.join(place.home, 'pg', 'PG_VERSION');
  await writeFile(versionFile, '13\n');
  await expect(startEmbeddedPostgres({ home: place.home })).rejects.toMatchObject({
    code: 'EMBEDDED_FAILED',
    message: expect.stringContaining('PostgreSQL 13') as string,
    details: { found: '13', expected: 18 },
  });
  expect(await readFile(versionFile, 'utf8')).toBe('13\n');
});

test('a server that cannot start is reported with the end of its log', async () => {
  await using place = await tempHome();
  await (await startEmbeddedPostgres({ home: place.home })).release();
  await writeFile(path.join(place.home, 'pg', 'postgresql.conf'), 'no_such_setting = 1\n');
  await expect(startEmbeddedPostgres({ home: place.home })).rejects.toMatchObject({
    code: 'EMBEDDED_FAILED',
    message: expect.stringContaining('no_such_setting') as string,
  });
});

test('a lost password file is reported, and the server that was started for it is stopped again', async () => {
  await using place = await tempHome();
  const before = await startEmbeddedPostgres({ home: place.home });
  await before.release();
  await rm(path.join(place.home, 'pg-password'));
  await expect(startEmbeddedPostgres({ home: place.home })).rejects.toMatchObject({
    code: 'EMBEDDED_FAILED',
  });
  await expect(stat(path.join(place.home, 'pg', 'postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('only the owner can read the home, the data and the password', async () => {
  await using place = await tempHome();
  await using server = await startEmbeddedPostgres({ home: place.home });
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
  expect(await modeOf(place.home)).toBe('700');
  expect(await modeOf(server.dataDir)).toBe('700');
  expect(await modeOf(path.join(place.home, 'pg-password'))).toBe('600');
});
