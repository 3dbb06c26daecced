import { chmodSync, lstatSync } from 'node:fs';
import path from 'node:path';
import type { Workspace } from './workspace.ts';

const ownersRights = 0o700;

/**
 * Gives the owner of a worktree the rights back that an agent took away: to the folder around it, to its top and to its git
 * folder. Without them nothing in it can be read, committed or moved. What is no folder, or another user's, stays as it is.
 */
export function regainRights({ path: tree, gitDir }: Pick<Workspace, 'path' | 'gitDir'>): void {
  for (const folder of [path.dirname(tree), tree, gitDir]) {
    try {
      const stat = lstatSync(folder);
      if (stat.isDirectory() && (stat.mode & ownersRights) !== ownersRights)
        chmodSync(folder, (stat.mode & 0o7777) | ownersRights);
    } catch {
      // gone, or another user's: what reads it next says so
    }
  }
}
