import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';

import { tryWriting } from './try-writing.ts';

/**
 * Makes the folder of all state, and makes sure that it can be written: one level at a time: where a file system has no new folders, such as /proc, Node's own
 * recursive way does not end.
 *
 * @throws STATE_UNWRITABLE naming the folder
 */
export async function makeStateFolder(home: string): Promise<void> {
  try {
    await makeFolder(home);
    const code = await tryWriting(home);
    if (code !== null) throw Object.assign(new Error(`nothing can be made in ${home}`), { code });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new BatonError('STATE_UNWRITABLE', `The state folder ${home} cannot be written (${code}).`, {
      at: home,
      fix: 'Make the folder writable for this user, or set BATON_HOME to one that is.',
      cause,
    });
  }
}

async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && parent !== folder) return null;
    throw error;
  });
  if (found?.isDirectory() === true) return;
  if (found !== null) throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' });
  await makeFolder(parent);
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error; // another process made it
  });
}
