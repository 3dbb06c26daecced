import { chmod, writeFile } from 'node:fs/promises';
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
