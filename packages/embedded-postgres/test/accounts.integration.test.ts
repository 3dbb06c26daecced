import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { bareEnvironment, chooseAccount, giveTo, underAccount } from '../src/as-root.ts';
import { startEmbeddedPostgres } from '../src/index.ts';
import { canBeNobody, query, startUser, tempHome } from './support.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const nameless = 54_321;
const hasNamespaces =
  spawnSync('unshare', ['-U', 'true'], { uid: nobody, gid: nobody, cwd: '/' }).status === 0;

test.runIf(isRoot)(
  'as root the server works though the folders above it are closed, and files stay root’s',
  async () => {
    await using place = await tempHome();
    await using server = await startEmbeddedPostgres({ home: place.home });
    expect(await query(server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
    expect((await chooseAccount(undefined)).ownerId).toBe((await stat(server.dataDir)).uid);
  },
);

test.runIf(canBeNobody)(
  'root runs the data of an ordinary user as that user, who can use it afterwards',
  async () => {
    await using place = await tempHome();
    await chmod(place.folder, 0o755);
    await mkdir(place.home);
    await chown(place.home, nobody, nobody);
    const user = await startUser(place.home, { uid: nobody });
    await query(user.server.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    expect(await user.end()).toBe(0);

    const server = await startEmbeddedPostgres({ home: place.home });
    expect((await stat(server.dataDir)).uid).toBe(nobody);
    await query(server.url, 'INSERT INTO kept VALUES (2)');
    await server.release();

    const again = await startUser(place.home, { uid: nobody });
    expect(await query(again.server.url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 2 }]);
    expect(await again.end()).toBe(0);
  },
);

test.runIf(isRoot)(
  'an account that is not mapped to root may start programs below closed folders, by the question that Postgres asks',
  async () => {
    await using place = await tempHome();
    await chmod(place.folder, 0o700);
    const program = path.join(place.folder, 'program');
    await writeFile(program, '#!/bin/sh\n', { mode: 0o700 });
    const account = await chooseAccount(nobody);
    const ask = `fs.accessSync(${JSON.stringify(program)}, fs.constants.X_OK | fs.constants.R_OK); console.log(process.getuid())`;
    const [file, args] = underAccount(account, process.execPath, ['-e', ask]);
    const asked = spawnSync(file, args, { cwd: '/', env: bareEnvironment, encoding: 'utf8', ...account.ids });
    expect(asked.stdout, asked.stderr).toBe(`${nobody}\n`);
  },
);

test.runIf(canBeNobody && hasNamespaces)(
  'a user id without a name, as containers give it, has a database of its own',
  async () => {
    await using place = await tempHome();
    await chmod(place.folder, 0o755);
    await mkdir(place.home);
    await chown(place.home, nameless, nameless);
    const user = await startUser(place.home, { uid: nameless });
    expect(await query(user.server.url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
    expect((await stat(path.join(place.home, 'pg'))).uid).toBe(nameless);
    expect(await user.end()).toBe(0);
  },
);

test.runIf(isRoot)(
  'data that root made is given to the unprivileged account where it must be, below closed folders too',
  async () => {
    await using place = await tempHome();
    const before = await startEmbeddedPostgres({ home: place.home });
    await query(before.url, 'CREATE TABLE kept AS SELECT 3 AS n');
    await before.release();
    await giveTo(await chooseAccount(nobody), before.dataDir);
    await using server = await startEmbeddedPostgres({ home: place.home });
    expect((await stat(server.dataDir)).uid).toBe(nobody);
    expect(await query(server.url, 'SELECT n FROM kept')).toEqual([{ n: 3 }]);
  },
);

test.runIf(isRoot)(
  'data that was being given to another account when its process was killed is put right by the next start',
  async () => {
    await using place = await tempHome();
    const before = await startEmbeddedPostgres({ home: place.home });
    await query(before.url, 'CREATE TABLE kept AS SELECT 4 AS n');
    const { uid } = await stat(before.dataDir);
    await before.release();
    const given = path.join(before.dataDir, 'postgresql.conf');
    await chown(given, uid === nobody ? 0 : nobody, uid === nobody ? 0 : nobody);
    await using server = await startEmbeddedPostgres({ home: place.home });
    expect((await stat(given)).uid).toBe(uid);
    expect(await query(server.url, 'SELECT n FROM kept')).toEqual([{ n: 4 }]);
  },
);
