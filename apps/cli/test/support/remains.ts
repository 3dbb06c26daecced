import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import { openStore, type Store } from '@baton/task-store';
import { listProcessesWithMarker } from '@baton/testkit';
import { systemClock, systemIds } from '@baton/service/system';

import type { Bench } from './bench.ts';

/** What a run must not leave behind, wherever it was killed. All empty is well. */
export interface Remains {
  processes: string[];
  /** Of git, in the user's repository and in Baton's clone. */
  lockFiles: string[];
  /** Refs that keep objects only while a landing is under way. */
  landingRefs: string[];
  sessions: string[];
  openAttempts: string[];
  /** Workers that are not told apart from living ones. */
  workers: string[];
}

/** Looks for what is left of a bench's runs. */
export async function findRemains(bench: Bench): Promise<Remains> {
  const processes = listProcessesWithMarker(bench.home).map(({ commandLine }) => commandLine);
  const refs = await bench.repo.git('for-each-ref', '--format=%(refname)', 'refs/baton/landing');
  const inStore = await withStore(bench, async (store) => ({
    sessions: (await store.tasks.sessions({ live: true })).map(({ id }) => id),
    openAttempts: (await store.tasks.listAttempts({ open: true })).map(({ id }) => id),
    workers: (await store.workers.list())
      .filter(({ status }) => status !== 'offline')
      .map(({ name }) => name),
  }));
  const lockFiles = [
    ...(await filesLike('.git/**/*.lock', bench.repo.path)),
    ...(await filesLike('projects/*/repos/*/clone.git/**/*.lock', bench.home)),
  ];
  return { processes, lockFiles, landingRefs: refs === '' ? [] : refs.split('\n'), ...inStore };
}

/** Reads the bench's store from here. */
export async function withStore<T>(bench: Bench, read: (store: Store) => Promise<T>): Promise<T> {
  const [home] = await filesLike('projects/*/postgres', bench.home);
  if (home === undefined) throw new Error('nothing was ever stored');
  await using server = await startEmbeddedPostgres({ home: path.join(bench.home, home) });
  const store = await openStore({ url: server.url, clock: systemClock, ids: systemIds });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** Process id of the bench's embedded server; undefined when none runs. */
export async function serverPid(bench: Bench): Promise<number | undefined> {
  const [file] = await filesLike('projects/*/postgres/pg/postmaster.pid', bench.home);
  if (file === undefined) return undefined;
  return Number((await readFile(path.join(bench.home, file), 'utf8')).split('\n')[0]);
}

async function filesLike(pattern: string, cwd: string): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(pattern, { cwd })) found.push(file);
  return found;
}
