import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { bytesOf, fromBytes, fromText, type BytePath } from './byte-path.ts';

/** Entries that are looked at between two turns of the event loop. */
const atOnce = 2_000;
const mostEntries = 1_000_000;

/**
 * Names the state of a file or folder with all below it: equal names mean that nothing was written in between. Nothing is opened. Of
 * files and links, path, mode, size, inode and the times of change count; no program can set the latter of the two times, so an edit
 * that keeps size and date is seen as well. Of a folder only path and mode count: a file that came and went leaves no trace.
 *
 * @param top Absolute path; no link is followed.
 * @returns null: there are too many entries to be looked at each time.
 */
export async function treeState(top: string, limit = mostEntries): Promise<string | null> {
  const hash = createHash('sha256');
  const isWhole = await lookThrough(fromText(top), {
    limit,
    visit: (file, stat) => {
      hash.update(file, 'latin1').update('\0');
      if (stat === undefined) return;
      if (stat.isDirectory()) hash.update(`${stat.mode}\0`);
      else hash.update(`${stat.mode} ${stat.size} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}\0`);
    },
  });
  return isWhole ? hash.digest('hex') : null;
}

/**
 * Looks at a file or folder with all below it, a folder before what is in it. Nothing is opened, no link is followed.
 *
 * @param top Absolute path.
 * @returns false: there are more entries than the limit.
 */
export async function lookThrough(
  top: BytePath,
  {
    visit,
    limit = mostEntries,
  }: { visit: (file: BytePath, stat: BigIntStats | undefined) => void; limit?: number },
): Promise<boolean> {
  const waiting: BytePath[] = [top];
  let seen = 0;
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if ((seen += 1) > limit) return false;
    if (seen % atOnce === 0) await breathe();
    const stat = lstatSync(bytesOf(file), { bigint: true, throwIfNoEntry: false });
    visit(file, stat);
    if (stat?.isDirectory() === true) for (const name of namesIn(file)) waiting.push(`${file}/${name}`);
  }
  return true;
}

/** A folder that went away, or that cannot be read, holds nothing: the copy says why. */
function namesIn(folder: BytePath): BytePath[] {
  try {
    return readdirSync(bytesOf(folder), { encoding: 'buffer' }).map(fromBytes).sort();
  } catch {
    return [];
  }
}
