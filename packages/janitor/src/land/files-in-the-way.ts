import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '@baton/contracts';
import { fields, gitText } from '../run-git.ts';

/**
 * Files of a checkout that git does not track, ignored ones too, and that are where a change from one tree to another writes: the
 * very path, a file where a folder is to be, or what lies in a folder where a file is to be. Relative paths, sorted.
 * @throws GIT_FAILED
 */
export async function filesInTheWay(
  git: Git,
  options: { worktree: string; from: string; to: string },
): Promise<string[]> {
  const { worktree: cwd, from, to } = options;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to];
  const found = new Set<string>();
  for (const path of fields(await gitText(git, args, { cwd }))) {
    const there = await whatStandsAt(cwd, path);
    if (there !== null) found.add(there);
  }
  if (found.size === 0) return [];
  const pathspecs = [...found].map((path) => `:(literal)${path}`);
  return fields(await gitText(git, ['ls-files', '-z', '--others', '--', ...pathspecs], { cwd })).sort();
}

/** The path itself when something is there, or the file in place of one of its folders; null: nothing. */
async function whatStandsAt(worktree: string, path: string): Promise<string | null> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const part = parts.slice(0, length).join('/');
    const stat = await statOf(join(worktree, part));
    if (stat === null) return null;
    if (length === parts.length || !stat.isDirectory()) return part;
  }
  return null;
}

function statOf(file: string): Promise<Stats | null> {
  return lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}
