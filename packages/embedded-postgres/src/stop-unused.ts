import { rm } from 'node:fs/promises';

import { BatonError } from '@baton/contracts';

import { forgetBeat } from './beat.ts';
import { unclaimHome } from './claim.ts';
import { livingEntries } from './entries.ts';
import type { Home } from './home.ts';
import { stopPostmaster } from './postmaster.ts';
import { isAlive } from './process-table.ts';
import { keepForNow, watchOf } from './watch.ts';

const maxStopMs = 30_000;

/**
 * Stops the server of a home unless a living process uses it; the caller holds the home's lock.
 *
 * @returns whether no server runs any more
 * @throws EMBEDDED_FAILED
 */
export async function stopUnlessUsed(home: Home): Promise<boolean> {
  if ((await livingEntries(home.usersDir)).length > 0) return false;
  if (await stopPostmaster(home.dataDir, maxStopMs)) {
    await endWatch(home);
    await forgetBeat(home);
    await unclaimHome(home);
    return true;
  }
  throw new BatonError('EMBEDDED_FAILED', `The packaged Postgres in ${home.dataDir} does not stop.`, {
    fix: `End the process named in the first line of ${home.dataDir}/postmaster.pid.`,
    at: home.dataDir,
  });
}

/** Takes the last share's end: the server is kept for so many seconds, or stopped; the caller holds the home's lock. @throws EMBEDDED_FAILED */
export async function keepOrStop(home: Home, keepSeconds: number): Promise<void> {
  if ((await livingEntries(home.usersDir)).length > 0) return;
  if (!(await keepForNow(home, keepSeconds))) await stopUnlessUsed(home);
}

/** The watch would end by itself at its next look. */
async function endWatch(home: Home): Promise<void> {
  const watch = await watchOf(home);
  await rm(home.watchFile, { force: true });
  await rm(home.keepFile, { force: true });
  if (watch === undefined || watch.pid === process.ppid || !isAlive(watch)) return;
  try {
    process.kill(-watch.pid, 'SIGTERM');
  } catch {
    // it has ended by now
  }
}
