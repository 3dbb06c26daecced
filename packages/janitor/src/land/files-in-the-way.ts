import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { Git } from '@baton/contracts';
import { nameOfBytes, printedBytes, printedName, quotingNames, specsOf } from '../printed-name.ts';
import { gitText } from '../run-git.ts';

/**
 * Files of a checkout that git does not track, ignored ones too, and that are where a change from one tree to another writes: the
 * very path, a file where a folder is to be, or what lies in a folder where a file is to be. Relative paths as {@link printedName} has
 * them, sorted.
 * @throws GIT_FAILED
 */
export async function filesInTheWay(
  git: Git,
  options: { worktree: string; from: string; to: string },
): Promise<string[]> {
  const { worktree: cwd, from, to } = options;
  const lines = async (...args: string[]): Promise<string[]> =>
    (await gitText(git, [...quotingNames, ...args], { cwd })).split('\n').filter((line) => line !== '');
  const found = new Set<string>();
  for (const line of await lines(
    ...['diff-tree', '-r', '--name-only', '--no-renames', '--diff-filter=A', from, to],
  )) {
    const there = await whatStandsAt(cwd, printedBytes(line));
    if (there !== null) found.add(there);
  }
  if (found.size === 0) return [];
  const untracked = await lines('ls-files', '--others', '--', ...[...found].flatMap(specsOf));
  return untracked
    .map(printedName)
    .filter((name) => [...found].some((place) => name === place || name.startsWith(`${place}/`)))
    .sort();
}

/** The path itself when something is there, or the file in place of one of its folders; null: nothing. */
async function whatStandsAt(worktree: string, path: Buffer): Promise<string | null> {
  const slash = '/'.charCodeAt(0);
  for (let end = path.indexOf(slash); ; end = path.indexOf(slash, end + 1)) {
    const part = end < 0 ? path : path.subarray(0, end);
    const stat = await statOf(Buffer.concat([Buffer.from(`${worktree}/`), part]));
    if (stat === null) return null;
    if (end < 0 || !stat.isDirectory()) return nameOfBytes(part);
  }
}

function statOf(file: Buffer): Promise<Stats | null> {
  return lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}
