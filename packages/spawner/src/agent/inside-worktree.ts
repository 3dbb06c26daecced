import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PermissionPolicy, PermissionRequest } from './adapter.ts';

/** Allows what touches nothing outside of a worktree, as far as the agent says what it touches. */
export const insideOnly =
  (worktree: string): PermissionPolicy =>
  (request) =>
    isInside(worktree, request) ? 'allow' : 'deny';

/**
 * Whether all paths of a request lie in a worktree. Links that lead out of it do not, nor do those that lead to what is not there: a
 * file that is written through one is made where it leads.
 */
export function isInside(worktree: string, { paths }: Pick<PermissionRequest, 'paths'>): boolean {
  const root = realPath(worktree);
  return paths.every((said) => {
    const file = pathOf(said);
    const real = root === null || file === null ? null : realPath(path.resolve(worktree, file));
    if (root === null || real === null) return false;
    const way = path.relative(root, real);
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  });
}

/** What an agent may call a file: a path, or the URL of one; null: of another place, such as a home folder. */
function pathOf(said: string): string | null {
  if (said === '~' || said.startsWith('~/')) return null;
  if (!/^file:/i.test(said)) return said;
  try {
    return fileURLToPath(said);
  } catch {
    return null;
  }
}

/** Where a path leads, also one of a file that is not there yet; null: a link on the way leads nowhere. */
function realPath(wanted: string): string | null {
  const rest: string[] = [];
  let existing = wanted;
  try {
    while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) {
      rest.unshift(path.basename(existing));
      existing = path.dirname(existing);
    }
    return path.join(realpathSync(existing), ...rest);
  } catch {
    return null;
  }
}
