import { readFileSync, writeFileSync } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { findEmbeddedPostgres, type RunningPostgres } from '@baton/embedded-postgres';
import type { ProjectState } from '@baton/worker/state';

/** What Baton keeps of one repository. */
export interface KnownProject {
  /** Name of its state folder, without dashes at its beginning: no option looks like it. */
  key: string;
  dir: string;
  /** Where the repository is; null: its state is of a time when that was not written down. */
  path: string | null;
  /** Whether something is at that path. */
  isThere: boolean;
  bytes: number;
  /** When a run of it wrote last; null: never. */
  lastRunAt: Date | null;
  /** Its embedded Postgres, if it runs. */
  server: RunningPostgres | null;
}

/** Where it is written down which repository a state folder is of. */
export const locationFile = (dir: string): string => path.join(dir, 'location');

/** Writes down which repository a state folder is of. */
export function rememberLocation({ dir }: Pick<ProjectState, 'dir'>, root: string): void {
  try {
    if (readFileSync(locationFile(dir), 'utf8') === root) return;
  } catch {
    // not written yet
  }
  writeFileSync(locationFile(dir), root, { mode: 0o600 });
}

/** All repositories that the state folder holds something of, the last used first. Nothing is started. */
export async function knownProjects(home: string): Promise<KnownProject[]> {
  const folder = path.join(home, 'projects');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.filter((one) => one.isDirectory()).map(({ name }) => lookAt(path.join(folder, name))),
  );
  return found.sort((a, b) => (b.lastRunAt?.getTime() ?? 0) - (a.lastRunAt?.getTime() ?? 0));
}

async function lookAt(dir: string): Promise<KnownProject> {
  const location = await readFile(locationFile(dir), 'utf8').catch(() => null);
  const isThere = location !== null && (await stat(location).catch(() => null)) !== null;
  const [bytes, lastRunAt, server] = await Promise.all([
    sizeOf(dir),
    newestIn(path.join(dir, 'logs')),
    findEmbeddedPostgres(path.join(dir, 'postgres')),
  ]);
  return {
    key: path.basename(dir).replace(/^-+/, ''),
    dir,
    path: location,
    isThere,
    bytes,
    lastRunAt,
    server,
  };
}

/** Room on the disk; a file that vanishes while it is measured takes none. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(place);
    else bytes += ((await lstat(place).catch(() => null))?.blocks ?? 0) * 512;
  }
  return bytes;
}

async function newestIn(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(
    names.map(async (name) => (await stat(path.join(folder, name)).catch(() => null))?.mtimeMs ?? 0),
  );
  return times.length === 0 ? null : new Date(Math.max(...times));
}
