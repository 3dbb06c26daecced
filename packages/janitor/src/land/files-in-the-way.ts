import type { Git } from '@baton/contracts';
import { nameOfBytes } from '../printed-name.ts';
import { bytesOfKey, keyOf, submoduleMode, treeChange } from './tree-change.ts';
import { groundOf, untrackedAt } from './untracked.ts';

/**
 * What of a checkout git does not track, ignored or not, and that is where a change from one tree to another writes: the very path, a file
 * where a folder is to be, what lies in a folder where a file is to be, or a repository of the user's own around it. Git itself deletes
 * a repository there without a word, a submodule with its edits too. A folder without tracked files is named as one, and so is a
 * repository. Relative paths as `printedName` has them, sorted.
 * @throws GIT_FAILED
 */
export async function filesInTheWay(
  git: Git,
  options: { worktree: string; from: string; to: string },
): Promise<string[]> {
  const { worktree: cwd, from, to } = options;
  const changes = await treeChange(git, { cwd, from, to });
  const tracked = new Set(changes.flatMap(({ path, before }) => (before === null ? [] : [keyOf(path)])));
  const ground = await groundOf(git, { cwd, tree: from, tracked });
  const found = new Set<string>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    const isFolder = after.mode === submoduleMode;
    for (const key of await untrackedAt(ground, keyOf(path), { isFolder })) found.add(key);
  }
  return [...found].map((key) => nameOfBytes(bytesOfKey(key))).sort();
}
