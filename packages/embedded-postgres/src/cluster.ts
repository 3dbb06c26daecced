import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { BatonError } from '@baton/contracts';

import { bareEnvironment, chooseAccount, giveTo, underAccount, type Account } from './as-root.ts';
import { makeRoom, type Home } from './home.ts';
import type { Binaries } from './locate.ts';
import { limitToRaise } from './shortage.ts';

const run = promisify(execFile);

/**
 * Makes the data directory when there is none, and returns the account that its server runs under. It is built in a
 * folder beside its place and renamed when whole, since `initdb` writes PG_VERSION first: a process killed half-way
 * would otherwise leave what looks like a cluster.
 *
 * @throws EMBEDDED_FAILED when the directory is of another major version, or `initdb` fails.
 */
export async function prepareCluster(home: Home, binaries: Binaries): Promise<Account> {
  const version = await readFile(path.join(home.dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined) return createCluster(home, binaries);
  if (Number.parseInt(version, 10) !== binaries.majorVersion)
    throw wrongVersion(home, version.trim(), binaries);
  const account = await chooseAccount((await stat(home.dataDir)).uid);
  await giveTo(account, home.dataDir);
  return account;
}

/** The superuser's password. @throws EMBEDDED_FAILED when it was deleted though the cluster is there. */
export async function readPassword(home: Home): Promise<string> {
  try {
    return (await readFile(home.passwordFile, 'utf8')).trim();
  } catch (error) {
    throw new BatonError('EMBEDDED_FAILED', `The password file ${home.passwordFile} cannot be read.`, {
      fix: `Restore it from a backup, or move ${home.dataDir} away to begin with an empty database.`,
      at: home.passwordFile,
      cause: error,
    });
  }
}

async function createCluster(home: Home, binaries: Binaries): Promise<Account> {
  await removeUnfinished(home);
  const account = await chooseAccount(undefined);
  const workshop = await mkdtemp(path.join(home.root, 'pg.new-'));
  const unfinished = path.join(workshop, 'data');
  const passwordFile = path.join(workshop, 'password');
  const password = randomBytes(24).toString('base64url');
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await giveTo(account, workshop);
  const [file, args] = underAccount(account, binaries.initdb, [
    ...['-D', unfinished, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8'],
    // A log for one project's work: the usual segments would take half of the disk that an idle database needs.
    ...['--wal-segsize=4', '--set', 'min_wal_size=16MB'],
  ]);
  try {
    await run(file, args, { cwd: '/', env: bareEnvironment, ...account.ids });
  } catch (error) {
    await rm(workshop, { recursive: true, force: true });
    const said = (error as { stderr?: string }).stderr?.trim().slice(-2_000) ?? '';
    throw new BatonError(
      'EMBEDDED_FAILED',
      `The database in ${home.root} could not be made. ${said}`.trim(),
      {
        fix: fixOf(said, home.root),
        at: home.root,
        cause: error,
      },
    );
  }
  await writeFile(home.passwordFile, password, { mode: 0o600 });
  await rename(unfinished, home.dataDir);
  await rm(workshop, { recursive: true, force: true });
  return account;
}

async function removeUnfinished(home: Home): Promise<void> {
  for (const name of await readdir(home.root)) {
    if (!name.startsWith('pg.new-')) continue;
    // The initdb of a killed process may write for another second: what cannot be removed now, a later start removes.
    const options = { recursive: true, force: true, maxRetries: 3 };
    await rm(path.join(home.root, name), options).catch(() => undefined);
  }
}

function wrongVersion(home: Home, version: string, binaries: Binaries): BatonError {
  const message = `${home.dataDir} was made by PostgreSQL ${version}; this install carries ${binaries.majorVersion}.`;
  return new BatonError('EMBEDDED_FAILED', message, {
    fix:
      `Export with the Baton version that made it and import into a new folder, run PostgreSQL ${version} on it ` +
      'yourself and set DATABASE_URL, or move the folder away to begin with an empty database.',
    at: home.dataDir,
    details: { found: version, expected: binaries.majorVersion },
  });
}

function fixOf(said: string, root: string): string {
  if (/No space left on device|Disk quota exceeded|Check free disk space/.test(said)) return makeRoom(root);
  const limit = limitToRaise(said);
  if (limit !== null) return limit;
  const own = 'or set DATABASE_URL to another server.';
  if (/contains a newline or carriage return/.test(said))
    return `Set BATON_HOME to a folder without a line break in its path, ${own}`;
  if (/invalid binary/.test(said))
    return `Start Baton as an ordinary user, install it where all users may read (not below a closed folder such as /root), ${own}`;
  if (/could not look up effective user/.test(said))
    return `Give this user a name in /etc/passwd, start Baton as a user who has one, ${own}`;
  return `Open the folder to the user who starts Baton, ${own}`;
}
