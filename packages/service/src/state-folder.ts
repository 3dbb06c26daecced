import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { BatonError } from '@baton/contracts';

/** Under a umask that takes rights from the owner as well, nothing that this process, git or an agent makes could be used again. */
export function keepOwnersRights(): void {
  process.umask(process.umask(0o077) & 0o077);
}

/**
 * Makes a folder of state with what it lies in, for its owner alone, and makes sure that it can be written. One level at a time:
 * where a file system has no new folders, such as /proc, Node's own recursive way does not end.
 * @throws STATE_UNWRITABLE naming the folder
 */
export async function makeStateFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    // Rights alone say nothing of a file system that is full, or that is mounted for reading.
    await rmdir(await mkdtemp(path.join(folder, '.baton-write-')));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new BatonError('STATE_UNWRITABLE', `The state folder ${folder} cannot be written (${code}).`, {
      at: folder,
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
