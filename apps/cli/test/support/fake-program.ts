import { access, chmod, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { tempDir, type TempDir } from '@baton/testkit';

/** A folder for PATH that holds one shell script under a program's name. */
export async function fakeProgram(name: string, script: string): Promise<TempDir> {
  const folder = await tempDir();
  const file = path.join(folder.path, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return folder;
}

/** A folder for PATH with what Baton itself needs, but with none of the agents that this machine may have. */
export async function bareMachine(): Promise<TempDir> {
  const folder = await tempDir();
  await symlink(process.execPath, path.join(folder.path, 'node'));
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  for (const name of ['git', 'sh', 'unshare']) {
    for (const candidate of folders.map((place) => path.join(place, name))) {
      const isThere = await access(candidate).then(
        () => true,
        () => false,
      );
      if (!isThere) continue;
      await symlink(candidate, path.join(folder.path, name));
      break;
    }
  }
  return folder;
}
