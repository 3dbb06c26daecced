import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';

import { addEntry, isOfAnother, livingEntries, parseIdentity } from './entries.ts';
import { isAlive } from './process-table.ts';
import { isCrowded } from './shortage.ts';

/** How {@link withLock} waits. */
export interface LockOptions {
  /** Existing folder for the claims of those who wait; on the same file system as the lock. */
  waitingDir: string;
  /** Whether this machine may take a lock over that a process of another one left; left out: no. */
  isOurs?: () => Promise<boolean>;
  /** Longest wait for a living owner, in milliseconds; 300 000 when left out. */
  maxWaitMs?: number;
}

const pollMs = 20;

/**
 * Runs a task while this process holds a lock file. The file appears by `link`, so that it always holds its owner's
 * pid and start time, whole. A dead owner's file may only be removed under a second lock, `<file>.steal`, by one
 * who has looked again while holding it: of two stealers the later finds the earlier's new lock and waits for it.
 * The rule applies to the second lock as well, so that a stealer killed half-way does not block others.
 *
 * @throws EMBEDDED_FAILED when a living process keeps the lock longer than `maxWaitMs`.
 */
export async function withLock<T>(file: string, options: LockOptions, task: () => Promise<T>): Promise<T> {
  const claim = await addEntry(options.waitingDir);
  const mine = await readFile(claim, 'utf8');
  try {
    await acquire(file, claim, options);
  } finally {
    await rm(claim, { force: true });
  }
  try {
    await livingEntries(options.waitingDir);
    return await task();
  } finally {
    // Another machine may have taken the home, and the lock, in between. One that cannot be read for want of open files is still ours.
    const found = await readFile(file, 'utf8').catch((error: unknown) => (isCrowded(error) ? mine : ''));
    if (found === mine) await rm(file, { force: true });
  }
}

async function acquire(file: string, claim: string, options: LockOptions): Promise<void> {
  const polls = Math.ceil((options.maxWaitMs ?? 300_000) / pollMs);
  for (let poll = 0; poll <= polls; poll++) {
    if (await tryLink(claim, file)) return;
    if (await ownerIsDead(file, options)) {
      await withLock(`${file}.steal`, options, async () => {
        if (await ownerIsDead(file, options)) await rm(file, { force: true });
      });
    } else {
      await delay(pollMs);
    }
  }
  throw new BatonError('EMBEDDED_FAILED', `Another process has held ${file} for too long.`, {
    fix: `End the process named in ${path.basename(file)} (its first number is the pid) and try again.`,
    at: file,
  });
}

async function tryLink(claim: string, file: string): Promise<boolean> {
  try {
    await link(claim, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function ownerIsDead(file: string, { isOurs }: LockOptions): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return false; // released in the meantime
  if (isOfAnother(text)) return (await isOurs?.()) ?? false;
  const owner = parseIdentity(text);
  return owner === undefined || !isAlive(owner);
}
