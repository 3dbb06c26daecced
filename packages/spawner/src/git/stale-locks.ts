import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { couldHaveMade, gitProcessesOfOurs } from '../process/git-processes.ts';
import { isAlive } from '../process/process-table.ts';

const patienceMs = 10_000;
const lookMs = 50;
/** Names of objects and packs that git has begun to write. */
const halfWritten = /^tmp_(obj|pack|idx|rev)_\w{6}$/;

/** Where git's lock files of dead processes are looked for. */
export interface StaleLocksOptions {
  /** Files and folders (these with all below) in which none but Baton's git takes locks; missing ones are fine. */
  places: readonly string[];
  /** Folders of the repository and of Baton's work on it: a git of ours at work elsewhere can hold none of these locks. */
  roots: readonly string[];
  /** Folders of objects that none but Baton's git writes: what it had half written when it ended, say on a full disk, is removed likewise. */
  objects?: readonly string[];
  /** How long a lock must stand still, for places where another's git could come along. */
  standsMs?: number;
  /** Whether a git may be at work there that cannot be seen here: then all stays. Asked only where something was found. */
  isInUse?: () => Promise<boolean>;
}

/**
 * Removes lock files that a killed git of ours left behind: each would block its ref or index until removed. One is stale when it is still
 * the same file after every git of ours that works on this repository and is older than the lock has ended; a younger lock is another's
 * and stays.
 *
 * @returns The removed files.
 */
export async function removeStaleLocks({
  places,
  objects = [],
  roots,
  standsMs = 0,
  isInUse,
}: StaleLocksOptions): Promise<string[]> {
  const seen = [...places.flatMap(locksIn), ...objects.flatMap(halfWrittenIn)].flatMap(lockAt);
  if (seen.length === 0 || (await isInUse?.()) === true) return [];
  const holders = gitProcessesOfOurs([...roots, ...roots.map(realPath)]);
  if (standsMs > 0) await delay(standsMs);
  let left = seen;
  const removed: string[] = [];
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const alive = holders.filter((holder) => isAlive(holder));
    const free = left.filter((lock) => !alive.some((holder) => couldHaveMade(holder.pid, lock.madeMs)));
    for (const { file, identity } of free) {
      if (lockAt(file)[0]?.identity !== identity) continue;
      rmSync(file, { force: true });
      removed.push(file);
    }
    left = left.filter((lock) => !free.includes(lock));
    if (left.length === 0 || waitedMs >= patienceMs) return removed;
    await delay(lookMs);
  }
}

/** A lock file, told apart from a later one of the same name. */
interface SeenLock {
  file: string;
  identity: string;
  /** Since the epoch. */
  madeMs: number;
}

function lockAt(file: string): SeenLock[] {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true) return [];
  return [{ file, identity: `${stat.ino} ${stat.mtimeNs}`, madeMs: Number(stat.mtimeNs / 1_000_000n) }];
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function locksIn(place: string): string[] {
  return place.endsWith('.lock') ? [place] : filesIn(place, (file) => file.endsWith('.lock'));
}

function halfWrittenIn(objects: string): string[] {
  return filesIn(objects, (file) => halfWritten.test(path.basename(file)));
}

function filesIn(folder: string, isWanted: (file: string) => boolean): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter(isWanted).map((file) => path.join(folder, file));
  } catch {
    return [];
  }
}
