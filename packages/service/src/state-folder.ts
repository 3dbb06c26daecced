import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { accountHome, accountName } from './account.ts';

/** Under a umask that takes rights from the owner as well, nothing that this process, git or an agent makes could be used again. */
export function keepOwnersRights(): void {
  process.umask(process.umask(0o077) & 0o077);
}

/** Variables that say where the state lies. */
export interface StatePlace {
  BATON_HOME?: string | undefined;
  XDG_STATE_HOME?: string | undefined;
  HOME?: string | undefined;
}

/**
 * The folder that holds all state of Baton: `$BATON_HOME`, else `baton` in the XDG state folder, which is below the home of the account
 * unless `$XDG_STATE_HOME` names another. A relative path there is ignored, as the XDG specification says: it would be another folder
 * in each repository.
 *
 * @returns an absolute path
 * @throws CONFIG_INVALID where none of these is known
 */
export function stateFolder(env: StatePlace): string {
  const { BATON_HOME: named, XDG_STATE_HOME: asked } = env;
  if (named !== undefined && named !== '') return path.normalize(named);
  if (asked !== undefined && path.isAbsolute(asked)) return path.resolve(asked, 'baton');
  const home = accountHome(env.HOME);
  if (home === null)
    throw new BatonError(
      'CONFIG_INVALID',
      `No home is known of ${accountName()}, who has to keep the state of Baton.`,
      {
        at: 'HOME',
        fix: 'Set BATON_HOME to a folder that this user can write, or HOME.',
      },
    );
  return path.resolve(home, '.local', 'state', 'baton');
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
      fix: wayOut(code),
      cause,
    });
  }
}

function wayOut(code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'There is no room left: make some on that disk (`df -h` and `df -i` show what is used), or set BATON_HOME to a folder on another one.';
  if (code === 'ENOENT')
    return 'It leads to a place that is not there, such as a link to a disk that is not mounted: mount that, or set BATON_HOME to a folder that can be made.';
  return 'Make the folder writable for this user, or set BATON_HOME to one that is.';
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
