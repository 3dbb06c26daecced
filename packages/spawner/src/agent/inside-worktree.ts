import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { PermissionPolicy, PermissionRequest } from './adapter.ts';

/** Allows what touches nothing outside of a worktree, as far as the agent says what it touches. */
export const insideOnly =
  (worktree: string): PermissionPolicy =>
  (request) =>
    isInside(worktree, request) ? 'allow' : 'deny';

/** Whether all paths of a request lie in a worktree; links that lead out of it do not. */
export function isInside(worktree: string, { paths }: Pick<PermissionRequest, 'paths'>): boolean {
  const root = realPath(worktree);
  return paths.every((file) => {
    const way = path.relative(root, realPath(path.resolve(worktree, file)));
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  });
}

/** Where a path leads, also one of a file that is not there yet. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPath(folder), path.basename(file));
  }
}
