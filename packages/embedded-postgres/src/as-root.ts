import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Owner id of the account `nobody`, everywhere. */
const nobody = 65_534;

/** All that the packaged programs get to see: nothing of the caller's environment, secrets and markers included. */
export const bareEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** How to start a program of Postgres. */
export interface Account {
  /** Words put before the program. */
  prefix: readonly string[];
  /** Set when the program is to change its user by itself. */
  ids: { uid?: number; gid?: number };
  /** Who must own the data directory. */
  ownerId: number;
}

/**
 * Chooses the account that Postgres runs under. Postgres refuses user 0, so that root needs the account `nobody`:
 *
 * 1. a user namespace that maps root to it: files stay root's, no parent folder is an obstacle;
 * 2. where namespaces are forbidden (containers), this account with the one capability to pass closed folders, also when Postgres asks
 *    whether it may start its own programs (`access(2)` counts no capability of another user unless a secure bit is set);
 * 3. else this account alone: home and install folders must then be open to it.
 *
 * A data directory that belongs to an ordinary user is run as that user.
 *
 * @param ownerId owner of the existing data directory; `undefined` before there is one.
 */
export async function chooseAccount(ownerId: number | undefined): Promise<Account> {
  const self = process.getuid?.() ?? 0;
  if (self !== 0) return accountOf(self);
  const uid = ownerId === undefined || ownerId === 0 ? nobody : ownerId;
  const become = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...passFolders];
  const candidates: Account[] = [
    { prefix: ['setpriv', '--securebits=+no_setuid_fixup', ...become], ids: {}, ownerId: uid },
    { prefix: ['setpriv', ...become], ids: {}, ownerId: uid },
    { prefix: [], ids: { uid, gid: uid }, ownerId: uid },
  ];
  if (uid === nobody && ownerId !== nobody) {
    candidates.unshift({
      prefix: mapped,
      ids: {},
      ownerId: 0,
    });
  }
  for (const account of candidates) if (await works(account)) return account;
  return candidates[candidates.length - 1] as Account;
}

/** Postgres makes no database for a user id without a name, as containers give it: such a user is mapped to a named one. */
async function accountOf(self: number): Promise<Account> {
  const plain: Account = { prefix: [], ids: {}, ownerId: self };
  const named: Account = { prefix: mapped, ids: {}, ownerId: self };
  return isNamed() || !(await works(named)) ? plain : named;
}

function isNamed(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** In a user namespace of its own, the caller has the id and so the name of that account; files stay the caller's. */
const mapped = ['unshare', '-U', `--map-user=${nobody}`, `--map-group=${nobody}`];

const passFolders = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];

async function works(account: Account): Promise<boolean> {
  try {
    const [file, args] = underAccount(account, 'true', []);
    await run(file, args, { cwd: '/', env: bareEnvironment, ...account.ids });
    return true;
  } catch {
    return false;
  }
}

/** The program and arguments to start, with the account's prefix. */
export function underAccount(account: Account, program: string, args: readonly string[]): [string, string[]] {
  const [first, ...rest] = [...account.prefix, program, ...args];
  return [first as string, rest];
}

/**
 * Gives a folder and all in it to the account. Each entry is looked at: a process that was killed half-way may have been
 * about to give them to another account, one that this machine would not choose.
 */
export async function giveTo(account: Account, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = account.ownerId;
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => path.join(entry.parentPath, entry.name));
  // The folder last: its owner shows whose all of it is.
  for (const entry of [...entries, folder])
    if (lstatSync(entry).uid !== owner) await chown(entry, owner, owner);
}
