import { realpath } from 'node:fs/promises';

import { homeAt } from './home.ts';
import { findPostmaster } from './postmaster.ts';

/** The server of a home folder, if one runs. Nothing is made or started, and no share is taken. */
export async function findEmbeddedPostgres(home: string): Promise<{ pid: number; port: number } | null> {
  const root = await realpath(home).catch(() => null);
  const found = root === null ? undefined : await findPostmaster(homeAt(root).dataDir);
  return found === undefined ? null : { pid: found.pid, port: found.port };
}
