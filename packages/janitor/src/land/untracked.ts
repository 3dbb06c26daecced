import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import type { Git } from '@baton/contracts';
import { printedBytes, quotingNames } from '../printed-name.ts';
import { gitText } from '../run-git.ts';
import { bytesOfKey, keyOf } from './tree-change.ts';

/** A checkout as it is on the disk, and what of it is tracked where somebody is about to write. Paths are keys ({@link keyOf}). */
export interface Ground {
  /** Where git runs. */
  cwd: string;
  /** The folder in which the files lie, which `core.worktree` may name. */
  worktree: string;
  tracked: ReadonlySet<string>;
  /** Each folder with a tracked file in it. */
  folders: ReadonlySet<string>;
  /** Whether the tree that is checked out has a folder: a git folder in it then makes it no repository of its own. */
  hasFolder: (folder: string) => Promise<boolean>;
  /** Whether a file is a tracked one under another spelling, where the file system ignores case. */
  isSpelling: (found: Stats) => Promise<boolean>;
}

/** The ground of a checkout of a commit or tree. @param of.tracked paths that are tracked, of those that matter @throws GIT_FAILED */
export async function groundOf(
  git: Git,
  { cwd, tree, tracked }: { cwd: string; tree: string; tracked: ReadonlySet<string> },
): Promise<Ground> {
  const worktree = (await gitText(git, ['rev-parse', '--show-toplevel'], { cwd })).replace(/\n$/, '');
  const folders = new Set([...tracked].flatMap(foldersOf));
  const allFolders = once(async () => {
    const args = [...quotingNames, 'ls-tree', '-r', '-d', '--full-tree', tree];
    const lines = (await gitText(git, args, { cwd })).split('\n');
    const trees = lines.filter((line) => line.startsWith('040000 '));
    return new Set(trees.map((line) => keyOf(printedBytes(line.slice(line.indexOf('\t') + 1)))));
  });
  const files = once(async () => {
    const found = await Promise.all([...tracked].map((key) => statOf({ worktree }, key)));
    return new Set(found.flatMap((stat) => (stat === null ? [] : [identity(stat)])));
  });
  return {
    ...{ cwd, worktree, tracked, folders },
    hasFolder: async (folder) => (await allFolders()).has(folder),
    isSpelling: async (found) => (await files()).has(identity(found)),
  };
}

/**
 * What would be lost if a file were written at a path: a file in place of one of its folders, the repository around it, a file that is not
 * tracked, or what is not tracked in a folder there. A folder without any tracked file is named as one, and so is a repository.
 * @param options.isFolder a folder is written, so that one which is there stays
 */
export async function untrackedAt(
  ground: Ground,
  key: string,
  options: { isFolder: boolean },
): Promise<string[]> {
  for (const folder of foldersOf(key)) {
    const found = await statOf(ground, folder);
    if (found === null) return [];
    if (!found.isDirectory()) return (await isTracked(ground, folder, found)) ? [] : [folder];
    if ((await statOf(ground, `${folder}/.git`)) !== null && !(await ground.hasFolder(folder)))
      return [folder];
  }
  const found = await statOf(ground, key);
  if (found === null || (found.isDirectory() && options.isFolder)) return [];
  if (found.isDirectory()) return untrackedIn(ground, key);
  return (await isTracked(ground, key, found)) ? [] : [key];
}

async function untrackedIn(ground: Ground, folder: string): Promise<string[]> {
  const entries = await entriesOf(ground, folder);
  if (entries === null) return [folder];
  if (!ground.folders.has(folder)) return (await holdsFile(ground, folder)) ? [folder] : [];
  const found: string[] = [];
  for (const { key, isFolder } of entries) {
    if (isFolder) found.push(...(await untrackedIn(ground, key)));
    else if (!ground.tracked.has(key)) found.push(key);
  }
  return found;
}

/** Whether anything but folders lies in a folder; one that cannot be read may hold something. */
async function holdsFile(ground: Ground, folder: string): Promise<boolean> {
  const entries = await entriesOf(ground, folder);
  if (entries === null || entries.some(({ isFolder }) => !isFolder)) return true;
  for (const { key } of entries) if (await holdsFile(ground, key)) return true;
  return false;
}

/** Null: the folder cannot be read. */
async function entriesOf(
  ground: Ground,
  folder: string,
): Promise<{ key: string; isFolder: boolean }[] | null> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  const entries = await readdir(placeOf(ground, folder), options).catch(() => null);
  if (entries === null) return null;
  return entries.map((entry) => ({ key: `${folder}/${keyOf(entry.name)}`, isFolder: entry.isDirectory() }));
}

const isTracked = async (ground: Ground, key: string, found: Stats): Promise<boolean> =>
  ground.tracked.has(key) || ground.isSpelling(found);

/** What lies at a path of a checkout, links not followed; null: nothing. */
export async function statOf(ground: Pick<Ground, 'worktree'>, key: string): Promise<Stats | null> {
  return lstat(placeOf(ground, key)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Where a path of a checkout lies, in bytes. Pure. */
export function placeOf({ worktree }: Pick<Ground, 'worktree'>, key: string): Buffer {
  return Buffer.concat([Buffer.from(`${worktree}/`), bytesOfKey(key)]);
}

const identity = (found: Stats): string => `${found.dev}:${found.ino}`;

/** The folders above a path, the highest first. Pure. */
function foldersOf(key: string): string[] {
  const parts = key.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
