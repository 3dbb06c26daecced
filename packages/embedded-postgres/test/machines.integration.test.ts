import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { claimHome } from '../src/claim.ts';
import { homeAt } from '../src/home.ts';
import { startEmbeddedPostgres } from '../src/index.ts';
import { formatMachine, isBeforeReboot, machineKey, thisMachine } from '../src/machine.ts';
import { findProcess } from '../src/process-table.ts';
import { query, spawnUser, startUser, tempHome, until } from './support.ts';

const other = { host: 'otherhost', id: 'i', boot: 'an-earlier-boot', space: '4026532999' };

/** What another machine leaves of its use of a home whose data this machine made. */
async function usedElsewhere(home: string): Promise<void> {
  const server = await startEmbeddedPostgres({ home });
  await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  await server.release();
  await writeFile(path.join(home, 'pg-machine'), `${formatMachine(other)}\n`);
  await writeFile(path.join(home, 'pg-beat'), '0000000007 0000000001\n');
}

test('a home that another machine uses is refused with its name and the way out, and nothing is started or changed', async () => {
  await using place = await tempHome();
  await usedElsewhere(place.home);
  // The pid means a process of that machine; here it is an unrelated one, or none.
  const pidFile = path.join(place.home, 'pg/postmaster.pid');
  writeFileSync(pidFile, `${process.pid}\n${path.dirname(pidFile)}\n1\n5432\n\n127.0.0.1\n\nready   \n`);
  const before = readFileSync(pidFile, 'utf8');
  let beats = 1;
  const beating = setInterval(() => {
    const beat = `0000000007 ${String((beats += 1)).padStart(10, '0')}\n`;
    writeFileSync(path.join(place.home, 'pg-beat'), beat);
  }, 200);
  const refused = await startEmbeddedPostgres({ home: place.home }).then(
    () => null,
    (error: unknown) => error,
  );
  clearInterval(beating);
  expect(refused).toMatchObject({
    code: 'EMBEDDED_ELSEWHERE',
    message: `The database in ${place.home} is in use on another machine or in another container: otherhost.`,
    fix: expect.stringContaining('set DATABASE_URL on both to one PostgreSQL server') as string,
  });
  expect(readFileSync(pidFile, 'utf8')).toBe(before);
  expect(readFileSync(path.join(place.home, 'pg-machine'), 'utf8').trim()).toBe(formatMachine(other));
});

test.concurrent(
  'a home whose machine has stopped is waited for, which is said, and then taken with all that was committed',
  async () => {
    await using place = await tempHome();
    await usedElsewhere(place.home);
    await writeFile(path.join(place.home, 'pg.lock'), `${process.pid} 1 abcdefabcdef`);
    const child = spawnUser(place.home);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    let [said, told] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await until('it has the server', () => said.includes('\n'));
    expect(told).toBe(
      `The database in ${place.home} was last used by otherhost: waiting 15 s to see whether that still runs.\n`,
    );
    const { url } = JSON.parse(said) as { url: string };
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    child.stdin.end();
    expect(await exit).toBe(0);
  },
);

test.concurrent(
  'while a server runs its beat changes, also after its starter was killed; when the last user ends, no machine has the home',
  async () => {
    await using place = await tempHome();
    const [first, second] = [await startUser(place.home), await startUser(place.home)];
    const beat = () => readFileSync(path.join(place.home, 'pg-beat'), 'utf8');
    expect(readFileSync(path.join(place.home, 'pg-machine'), 'utf8').trim()).toBe(
      formatMachine(thisMachine()),
    );
    await first.kill();
    for (let looks = 0; looks < 2; looks += 1) {
      const before = beat();
      await until('the beat changes', () => beat() !== before);
    }
    const beater = Number(readFileSync(path.join(place.home, 'pg-beater'), 'utf8').split(' ')[0]);
    expect(await second.end()).toBe(0);
    expect(['pg-machine', 'pg-beat'].filter((name) => existsSync(path.join(place.home, name)))).toEqual([]);
    await until('its process has ended', () => findProcess(beater) === undefined);
  },
);

test.concurrent('a server whose home another machine has taken ends at once', async () => {
  await using place = await tempHome();
  const user = await startUser(place.home);
  const pid = () => readFileSync(path.join(place.home, 'pg/postmaster.pid'), 'utf8').split('\n')[0];
  const beat = () => readFileSync(path.join(place.home, 'pg-beat'), 'utf8');
  expect(pid()).toBe(String(user.server.pid));
  const before = beat();
  await until('it was seen', () => beat() !== before);
  await writeFile(path.join(place.home, 'pg-machine'), `${formatMachine(other)}\n`);
  await until('the server has ended', () => findProcess(user.server.pid) === undefined);
  expect(await user.end()).toBe(0);
  expect(readFileSync(path.join(place.home, 'pg-machine'), 'utf8').trim()).toBe(formatMachine(other));
});

test('of several that claim a home at once each has it, and a torn name of a machine is waited for like any other', async () => {
  await using place = await tempHome();
  await mkdir(place.home);
  const home = homeAt(place.home);
  const said: string[] = [];
  const claim = () => claimHome(home, { say: (line) => said.push(line), silentMs: 250 });
  await Promise.all([claim(), claim(), claim()]);
  expect(said).toEqual([]);
  await writeFile(home.machineFile, '');
  await claim();
  expect(said).toEqual([expect.stringContaining('was last used by unknown')]);
  expect(readFileSync(home.machineFile, 'utf8').trim()).toBe(formatMachine(thisMachine()));
});

test('only a host outside of containers that was started again is known to have stopped', () => {
  const now = { host: 'here', id: 'i', boot: 'b', space: '4026531836' };
  expect(isBeforeReboot({ ...now, boot: 'a' }, now)).toBe(true);
  expect(isBeforeReboot(now, now)).toBe(false);
  expect(isBeforeReboot({ ...now, boot: '-' }, now)).toBe(false);
  expect(isBeforeReboot({ ...now, boot: 'a', host: 'there' }, now)).toBe(false);
  expect(isBeforeReboot({ ...now, boot: 'a', id: 'j' }, now)).toBe(false);
  expect(isBeforeReboot({ ...now, boot: 'a', id: '-' }, { ...now, id: '-' })).toBe(false);
  expect(isBeforeReboot({ ...now, boot: 'a', space: '4026532999' }, now)).toBe(false);
  expect(isBeforeReboot({ ...now, boot: 'a' }, { ...now, space: '4026532999' })).toBe(false);
});

test('a host that gets another name while it is up is the same one, and hosts of the same name are two', async () => {
  const now = thisMachine();
  expect(machineKey({ ...now, host: 'renamed' })).toBe(machineKey(now));
  expect(machineKey({ ...now, boot: 'another' })).not.toBe(machineKey(now));
  expect(machineKey({ ...now, boot: '-', host: 'a' })).not.toBe(machineKey({ ...now, boot: '-', host: 'b' }));
  await using place = await tempHome();
  await mkdir(place.home);
  const home = homeAt(place.home);
  await writeFile(home.machineFile, `${formatMachine({ ...now, host: 'renamed' })}\n`);
  const said: string[] = [];
  await claimHome(home, { say: (line) => said.push(line), silentMs: 250 });
  expect(said).toEqual([]);
});
