import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';

import {
  formatMachine,
  isBeforeReboot,
  machineKey,
  parseMachine,
  thisMachine,
  type Machine,
} from './machine.ts';

/** Where a home folder says which machine it belongs to. */
export interface ClaimPlace {
  /** The folder. */
  root: string;
  /** Names the machine that may run the server. */
  machineFile: string;
  /** Changes each second while that machine uses the home. */
  beatFile: string;
}

/** How {@link claimHome} waits. */
export interface ClaimOptions {
  /** Gets a line for people when it has to wait. */
  say: (line: string) => void;
  /** A beat that stays the same for so long has stopped; 15 000 when left out. */
  silentMs?: number;
}

const pollMs = 250;
/** In this time a machine that comes back after all sees that its home was taken, and ends its server. */
const settleMs = 3_000;

/**
 * Makes a home folder this machine's, so that two machines or containers that share it never run a server on the same data: pids of one
 * mean nothing on the other. While another machine uses it, a small process there renews a beat; only its content is compared, so that
 * no clock counts. Call it again whenever the server may be started.
 *
 * @throws EMBEDDED_ELSEWHERE naming the machine that uses it
 */
export async function claimHome(home: ClaimPlace, options: ClaimOptions): Promise<void> {
  const mine = thisMachine();
  for (;;) {
    const line = await lineOf(home);
    if (line === undefined) {
      if (await tryFirst(home, mine)) return;
      continue;
    }
    const other = parseMachine(line);
    if (machineKey(other) === machineKey(mine)) return;
    if (!isBeforeReboot(other, mine)) await waitForSilence(home, { other, line, ...options });
    if ((await lineOf(home)) !== line) continue;
    const draft = await draftOf(home, mine);
    await rename(draft, home.machineFile);
    if (!isBeforeReboot(other, mine)) await delay(settleMs);
  }
}

/** Whether the home is this machine's at this moment. */
export async function isClaimed(home: ClaimPlace): Promise<boolean> {
  const line = await lineOf(home);
  return line !== undefined && machineKey(parseMachine(line)) === machineKey(thisMachine());
}

/** Gives the home up when no server runs in it any more; the caller holds the home's lock. */
export async function unclaimHome(home: ClaimPlace): Promise<void> {
  if (await isClaimed(home)) await rm(home.machineFile, { force: true });
}

async function waitForSilence(
  home: ClaimPlace,
  { other, line, say, silentMs = 15_000 }: ClaimOptions & { other: Machine; line: string },
): Promise<void> {
  const look = async () =>
    [await lineOf(home), await readFile(home.beatFile, 'latin1').catch(() => '')].join();
  const before = await look();
  say(
    `The database in ${home.root} was last used by ${other.host}: waiting ${Math.ceil(silentMs / 1000)} s to see whether that still runs.`,
  );
  for (let waitedMs = 0; waitedMs < silentMs; waitedMs += pollMs) {
    await delay(pollMs);
    if ((await look()) === before) continue;
    if ((await lineOf(home)) !== line) return;
    throw new BatonError(
      'EMBEDDED_ELSEWHERE',
      `The database in ${home.root} is in use on another machine or in another container: ${other.host}.`,
      {
        fix: `End Baton on ${other.host}, or set DATABASE_URL on both to one PostgreSQL server, which several machines may share.`,
        at: home.root,
        details: { host: other.host },
      },
    );
  }
}

async function lineOf(home: ClaimPlace): Promise<string | undefined> {
  try {
    return (await readFile(home.machineFile, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** False: another process was first. */
async function tryFirst(home: ClaimPlace, mine: Machine): Promise<boolean> {
  const draft = await draftOf(home, mine);
  try {
    await link(draft, home.machineFile);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

let drafts = 0;
async function draftOf(home: ClaimPlace, mine: Machine): Promise<string> {
  const draft = `${home.machineFile}.${process.pid}-${mine.space}-${(drafts += 1)}`;
  await writeFile(draft, `${formatMachine(mine)}\n`, { mode: 0o600 });
  return draft;
}
