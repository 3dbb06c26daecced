import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { makeStateFolder, stateFolder } from './state-folder.ts';

test('the state folder is made with all folders above it, for its owner only, by several processes at once', async () => {
  await using place = await tempDir();
  const home = path.join(place.path, 'a', 'b');
  await Promise.all([makeStateFolder(home), makeStateFolder(home)]);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test('a file in its place is refused with the folder and the way out', async () => {
  await using place = await tempDir();
  const file = path.join(place.path, 'file');
  await writeFile(file, '');
  for (const home of [file, path.join(file, 'inner')])
    await expect(makeStateFolder(home)).rejects.toMatchObject({
      ...{ code: 'STATE_UNWRITABLE', at: home },
      fix: expect.stringContaining('BATON_HOME') as string,
    });
});

test('a link to a disk that is not mounted is named for what it is, and works once the disk is there', async () => {
  await using place = await tempDir();
  const [link, disk] = [path.join(place.path, 'link'), path.join(place.path, 'disk')];
  await symlink(disk, link);
  for (const home of [link, path.join(link, 'inner')])
    await expect(makeStateFolder(home)).rejects.toMatchObject({
      ...{ code: 'STATE_UNWRITABLE', at: home },
      fix: expect.stringContaining('mount') as string,
    });
  await mkdir(disk);
  await makeStateFolder(path.join(link, 'inner'));
  expect((await stat(path.join(disk, 'inner'))).isDirectory()).toBe(true);
});

test.runIf(process.platform === 'linux')('a folder below /proc is refused and does not hang', async () => {
  await expect(makeStateFolder(`/proc/${process.pid}/baton/state`)).rejects.toMatchObject({
    code: 'STATE_UNWRITABLE',
  });
});

test('the state lies in the folder that is named, else in the XDG state folder, else below a home', () => {
  for (const [env, folder] of [
    [{ BATON_HOME: '/state', HOME: '/home/ada' }, '/state'],
    [{ BATON_HOME: '', XDG_STATE_HOME: '/xdg' }, '/xdg/baton'],
    [{ XDG_STATE_HOME: 'relative', HOME: '/home/ada' }, '/home/ada/.local/state/baton'],
  ] as const)
    expect(stateFolder(env)).toBe(folder);
});
