import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { BatonError, type ErrorCode } from '@baton/contracts';

/** With less than this nothing that Baton does can be relied on. */
const leastBytes = 1024 * 1024;
const leastInodes = 8;

/** What may be said of a disk that is full by those who do not know. */
const mayMeanFull: readonly ErrorCode[] = [
  'WORKSPACE_FAILED',
  'GIT_FAILED',
  'SETUP_FAILED',
  'WORK_NOT_COMMITTABLE',
];

/** Errors that name a disk already. */
const told = new WeakSet<BatonError>();

const words = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;

/** Codes of Node. What a database says of its own disk has others, and says nothing about a folder here. */
const nodeCode = /^E[A-Z0-9_]+$/;

/** What a disk lacks, as part of a sentence; null: it has room. */
function lackOf(folder: string): string | null {
  try {
    let at = folder;
    while (!existsSync(at) && path.dirname(at) !== at) at = path.dirname(at);
    const { bsize, blocks, bavail, files, ffree } = statfsSync(at);
    const bytes = bsize * bavail;
    // Some file systems tell no size at all.
    if (blocks > 0 && bytes < leastBytes) return `${bytes} bytes free`;
    return files > 0 && ffree < leastInodes ? `${ffree} inodes free` : null;
  } catch {
    return null;
  }
}

/**
 * The error that names the disk of a folder, when it is full or when what failed says so; null: that is not the reason.
 *
 * @param cause What failed; null: only the disk itself is asked.
 */
export function fullDisk(folder: string, cause: unknown): BatonError | null {
  if (BatonError.is(cause) && told.has(cause)) return cause;
  const lack = lackOf(folder);
  const says = cause !== null && words.test(textOf(cause));
  if (!says && lack === null) return null;
  const why = cause === null ? '' : `: ${cause instanceof Error ? cause.message : String(cause)}`;
  const full = new BatonError(
    'WORKSPACE_FAILED',
    `The disk of ${folder} is full (${lack ?? 'no room, or no inodes, or a quota is used up'})${why}`,
    {
      fix: 'Make room there (`df -h` and `df -i` show what is used, `baton clean` removes what has expired). Nothing is lost: work continues when there is room.',
      at: folder,
      cause,
    },
  );
  told.add(full);
  return full;
}

/** What failed in a folder because its disk is full, by its name; null: that is not the reason. */
export function diskTrouble(folder: string, error: unknown): BatonError | null {
  const { code } = (error ?? {}) as { code?: unknown };
  const mayBeFull = BatonError.is(error)
    ? mayMeanFull.includes(error.code)
    : typeof code === 'string' && nodeCode.test(code);
  return mayBeFull ? fullDisk(folder, error) : null;
}

/** Does work in a folder; what fails because its disk is full says so. @throws WORKSPACE_FAILED; what `work` throws */
export async function namingDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskTrouble(folder, error) ?? error;
  }
}

/** All that an error and its causes say. */
function textOf(error: unknown): string {
  const { message = '', code = '', cause } = error as { message?: string; code?: string; cause?: unknown };
  return `${code} ${message}${cause === undefined || cause === null ? '' : ` ${textOf(cause)}`}`;
}
