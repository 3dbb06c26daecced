import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  hasLivingElsewhere,
  makeOwnFolder,
  removeDeadFolders,
  type OwnFolders,
} from '../process/own-folder.ts';

const usersOf = (folder: string): OwnFolders => ({ parent: path.join(folder, 'users'), prefix: 'user-' });

const entered = new Set<string>();
/** Shows processes of other hosts and containers that this one may run git in a clone, until it ends. @param folder The clone lies in it. */
export function enterClone(folder: string): void {
  if (entered.has(folder)) return;
  entered.add(folder);
  removeDeadFolders(usersOf(folder));
  makeOwnFolder(usersOf(folder));
}

/** Whether a process that cannot be seen here may run git in a clone: one of another host or container that shares the folder. */
export function isUsedElsewhere(folder: string): Promise<boolean> {
  return hasLivingElsewhere(usersOf(folder), () => delay(50));
}

/** Removes what dead processes of other hosts and containers left of {@link enterClone}, once they have been silent for long. */
export function removeDeadUsers(stateDir: string): void {
  const repos = path.join(stateDir, 'repos');
  if (!existsSync(repos)) return;
  const found = readdirSync(repos, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of found) removeDeadFolders(usersOf(path.join(repos, name)));
}
