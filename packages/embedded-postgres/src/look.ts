import { readdir, readFile, realpath } from 'node:fs/promises';

import { parseIdentity } from './entries.ts';
import { homeAt, withHomeLocked } from './home.ts';
import { findPostmaster } from './postmaster.ts';
import { isAlive } from './process-table.ts';
import { stopUnlessUsed } from './stop-unused.ts';

/** A server that runs. */
export interface RunningPostgres {
  pid: number;
  port: number;
  /** Whether a living process has a share in it. */
  isUsed: boolean;
  /** How long it stays unused before it ends. */
  keepSeconds: number;
}

/** The server of a home folder, if one runs. Nothing is made or started, and no share is taken. */
export async function findEmbeddedPostgres(folder: string): Promise<RunningPostgres | null> {
  const root = await realpath(folder).catch(() => null);
  const found = root === null ? undefined : await findPostmaster(homeAt(root).dataDir);
  if (root === null || found === undefined) return null;
  const { usersDir, keepFile } = homeAt(root);
  const owners = (await readdir(usersDir).catch(() => [])).map((name) =>
    parseIdentity(name.split('-').slice(0, 2).join(' ')),
  );
  const asked = Number.parseInt(await readFile(keepFile, 'utf8').catch(() => ''), 10);
  return {
    pid: found.pid,
    port: found.port,
    isUsed: owners.some((owner) => owner !== undefined && isAlive(owner)),
    keepSeconds: Number.isFinite(asked) ? asked : 0,
  };
}

/**
 * Ends the server of a home folder that is only kept for the next user.
 *
 * @returns false: a living process uses it
 * @throws EMBEDDED_FAILED
 */
export async function stopUnusedPostgres(folder: string): Promise<boolean> {
  if ((await findEmbeddedPostgres(folder)) === null) return true;
  const home = homeAt(await realpath(folder));
  return withHomeLocked(home, () => stopUnlessUsed(home));
}
