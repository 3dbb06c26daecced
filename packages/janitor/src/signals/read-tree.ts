import type { Git } from '@baton/contracts';
import { gitFailed } from '../run-git.ts';

/** What a path is in a tree. `outside`: a symbolic link on its way leads out of the repository. */
export type TreeEntry = { kind: 'file' | 'folder'; text: string } | { kind: 'missing' } | { kind: 'outside' };

/** A tree in a repository. */
export interface TreeOptions {
  /** Repository or worktree that holds the tree. */
  cwd: string;
  tree: string;
  path: string;
}

/**
 * Reads a path from the tree object itself, following symbolic links inside it only. Files that set-up or a gate left in the worktree
 * don't count, because they don't land. `text` is empty unless `content` is wanted.
 * @throws GIT_FAILED
 */
export async function readTreePath(
  git: Git,
  options: TreeOptions & { content: boolean },
): Promise<TreeEntry> {
  const path = options.path.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  if (/[\n\0]/.test(path) || path.split('/').includes('..') || path.startsWith('/'))
    return { kind: 'outside' };
  const args = ['cat-file', options.content ? '--batch' : '--batch-check', '--follow-symlinks'];
  const result = await git(args, {
    cwd: options.cwd,
    stdin: `${options.tree}:${path === '.' ? '' : path}\n`,
  });
  if (result.exitCode !== 0 || result.truncated) throw gitFailed(args, result);

  const [head = '', ...rest] = result.stdout.split('\n');
  if (/^symlink \d+$/.test(head)) return { kind: 'outside' };
  const type = /^[0-9a-f]{40,64} (blob|tree|commit) \d+$/.exec(head)?.[1];
  if (type === undefined) return { kind: 'missing' };
  return {
    kind: type === 'blob' ? 'file' : 'folder',
    text: options.content ? rest.join('\n').replace(/\n$/, '') : '',
  };
}
