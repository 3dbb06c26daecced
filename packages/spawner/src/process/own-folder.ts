import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { holderElsewhere, judgeElsewhere, tryFileLock } from './file-lock.ts';

/** Folders of one kind: each belongs to a process, and is another's to remove once that is dead. */
export interface OwnFolders {
  /** Absolute path of the folder in which they lie; it need not be there. */
  parent: string;
  /** With what the name of each begins, and no other name there. */
  prefix: string;
}

const lockOf = (folder: string): string => path.join(folder, 'lock');

/** Makes a folder for this process, with a lock in it that shows processes here and elsewhere that this one lives; `remove` ends both. */
export function makeOwnFolder({ parent, prefix }: OwnFolders): { path: string; remove(): void } {
  mkdirSync(parent, { recursive: true });
  for (;;) {
    const folder = mkdtempSync(path.join(parent, prefix));
    const lock = tryFileLock(lockOf(folder));
    // One that has no lock yet may be taken for a dead one's.
    if (lock === null) continue;
    const remove = (): void => {
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    };
    return { path: folder, remove };
  }
}

/** Removes those of dead processes. One of another host or container is dead when it has been silent for long. */
export function removeDeadFolders(folders: OwnFolders): void {
  for (const folder of listed(folders)) {
    const lock = lockIn(folder);
    if (lock === null) continue;
    lock.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lockIn(folder: string): ReturnType<typeof tryFileLock> {
  try {
    return tryFileLock(lockOf(folder));
  } catch (error) {
    // It is no folder, so no process holds it.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return { release: () => undefined };
    throw error;
  }
}

/** Whether a process of another host or container has one and lives. `wait` is called between two looks, for 20 s where one is dead. */
export async function hasLivingElsewhere(folders: OwnFolders, wait: () => Promise<void>): Promise<boolean> {
  const locks = listed(folders).map(lockOf);
  await judgeElsewhere(locks, wait);
  return locks.some((lock) => holderElsewhere(lock) !== null);
}

function listed({ parent, prefix }: OwnFolders): string[] {
  try {
    const names = readdirSync(parent).filter((name) => name.startsWith(prefix));
    return names.map((name) => path.join(parent, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
