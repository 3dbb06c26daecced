import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';

import { claimHome, isClaimed } from './claim.ts';
import { addEntry } from './entries.ts';
import { withLock } from './lock.ts';

/** Where things are inside one home folder. */
export interface Home {
  root: string;
  /** The cluster itself: Postgres's data directory. */
  dataDir: string;
  /** The superuser's password, readable by its owner only. */
  passwordFile: string;
  /** The port that the server had last. */
  portFile: string;
  /** What the server printed. */
  logFile: string;
  /** One file per process that uses the server. */
  usersDir: string;
  /** Pid and start time of the process that ends an unused server. */
  watchFile: string;
  /** How many seconds the server stays unused before the watch ends it, and a mark of who asked for that. */
  keepFile: string;
  /** Names the machine that may run the server: see `claim.ts`. */
  machineFile: string;
  /** Changes each second while that machine uses the home. */
  beatFile: string;
  /** Pid and start time of the process that renews the beat. */
  beaterFile: string;
  lockFile: string;
  waitingDir: string;
}

/**
 * Makes the home folder ready and shows that it can be written.
 *
 * @param root the folder; made, with mode 0700, when it is missing.
 * @throws STATE_UNWRITABLE naming the folder.
 */
export async function openHome(root: string): Promise<Home> {
  return namingTheFolder(path.resolve(root), async () => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const home = homeAt(await realpath(root));
    await mkdir(home.usersDir, { recursive: true, mode: 0o700 });
    await mkdir(home.waitingDir, { recursive: true, mode: 0o700 });
    return home;
  });
}

/** Claims the home for this machine and enters this process among the users of its server. @throws STATE_UNWRITABLE, EMBEDDED_ELSEWHERE */
export async function enterUser(home: Home, say: (line: string) => void): Promise<string> {
  return namingTheFolder(home.root, async () => {
    await claimHome(home, { say });
    return addEntry(home.usersDir);
  });
}

/** Runs a task while no other process starts or stops this home's server. @throws EMBEDDED_FAILED, STATE_UNWRITABLE */
export async function withHomeLocked<T>(home: Home, task: () => Promise<T>): Promise<T> {
  const locked = { waitingDir: home.waitingDir, isOurs: () => isClaimed(home) };
  return namingTheFolder(home.root, () => withLock(home.lockFile, locked, task), noRoomCodes);
}

/** What belongs where inside a home folder; nothing is made. */
export function homeAt(root: string): Home {
  return {
    root,
    dataDir: path.join(root, 'pg'),
    passwordFile: path.join(root, 'pg-password'),
    portFile: path.join(root, 'pg-port'),
    logFile: path.join(root, 'server.log'),
    usersDir: path.join(root, 'pg-users'),
    watchFile: path.join(root, 'pg-watch'),
    keepFile: path.join(root, 'pg-keep'),
    machineFile: path.join(root, 'pg-machine'),
    beatFile: path.join(root, 'pg-beat'),
    beaterFile: path.join(root, 'pg-beater'),
    lockFile: path.join(root, 'pg.lock'),
    waitingDir: path.join(root, 'pg-waiting'),
  };
}

/** The way out where the disk of a folder is full. */
export function makeRoom(folder: string): string {
  return `Make room on the disk of ${folder} (\`df -h\` and \`df -i\` show what is used), then call the command again: nothing is lost. Or set BATON_HOME to a folder on another disk.`;
}

const noRoomCodes = new Set(['ENOSPC', 'EDQUOT']);
const unwritableCodes = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'],
  ...noRoomCodes,
]);

/** @param codes what a failure must be to be one of the folder */
async function namingTheFolder<T>(
  root: string,
  task: () => Promise<T>,
  codes: ReadonlySet<string> = unwritableCodes,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (BatonError.is(error) || code === undefined || !codes.has(code)) throw error;
    throw new BatonError('STATE_UNWRITABLE', `The state folder ${root} cannot be written (${code}).`, {
      fix: noRoomCodes.has(code)
        ? makeRoom(root)
        : 'Make the folder writable for this user, or set BATON_HOME to a folder that is.',
      at: root,
      cause: error,
    });
  }
}
