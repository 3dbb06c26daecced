import { access } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import { checkServer, startEmbeddedPostgres } from '@baton/embedded-postgres';
import { migrate, migrateOnce, openStore, type Store } from '@baton/task-store';
import { systemClock, systemIds } from '@baton/service/system';

import type { Cli } from '../terminal/call.ts';
import type { Project } from './project.ts';
import { rememberLocation } from './known-projects.ts';
import { makeStateFolder } from '@baton/service/state-folder';

/** Each connection plans its first statements; a command says less at once than this many can carry. */
const poolSize = 4;

/** The store of a project, opened; closing it gives the embedded server up, too. */
export interface StoreAccess extends AsyncDisposable {
  store: Store;
  /** Address of the database, with its password. */
  url: string;
  /** Starts a killed embedded server again. Does nothing for a server of the user's own. */
  ensureRunning(): Promise<void>;
  /** Gives the embedded server up without closing connections first: for an end in a hurry. */
  release(): Promise<void>;
}

/**
 * Opens the store: `DATABASE_URL`, else the embedded Postgres of the project. Migrations are applied.
 * @throws DATABASE_UNREACHABLE, DATABASE_LOGIN, DATABASE_TOO_OLD, MIGRATION_FAILED, EMBEDDED_FAILED, STATE_UNWRITABLE
 */
export async function openProjectStore(
  { env }: Pick<Cli, 'env'>,
  project: (Pick<Project, 'state'> & Partial<Pick<Project, 'root'>>) | null,
): Promise<StoreAccess> {
  if (env.databaseUrl !== undefined) {
    await checkServer(env.databaseUrl);
    await migrate(env.databaseUrl);
    return accessTo(env, env.databaseUrl, {
      ensureRunning: async () => undefined,
      release: async () => undefined,
    });
  }
  if (!project) throw noProject();
  await makeStateFolder(env.home);
  const server = await startEmbeddedPostgres({
    home: project.state.pgHome,
    keepSeconds: env.postgresKeepSeconds,
  });
  try {
    await migrateOnce(server.url, {
      stampFile: path.join(project.state.pgHome, 'schema'),
      isNew: server.isNew,
    });
    if (project.root !== undefined) rememberLocation(project.state, project.root);
    return await accessTo(env, server.url, {
      ensureRunning: async () => void (await server.ensureRunning()),
      release: () => server.release(),
    });
  } catch (error) {
    await server.release();
    throw error;
  }
}

/** Whether anything was ever stored for the project: reading commands start no server to learn that there is nothing. */
export async function hasStore(
  { env }: Pick<Cli, 'env'>,
  project: Pick<Project, 'state'> | null,
): Promise<boolean> {
  if (env.databaseUrl !== undefined) return true;
  if (!project) throw noProject();
  return access(path.join(project.state.pgHome, 'pg', 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

async function accessTo(
  { answerAfterLogged }: Cli['env'],
  url: string,
  server: { ensureRunning: () => Promise<void>; release: () => Promise<void> },
): Promise<StoreAccess> {
  const store = await openStore({ url, poolSize, clock: systemClock, ids: systemIds, answerAfterLogged });
  return {
    store,
    url,
    ensureRunning: server.ensureRunning,
    release: server.release,
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.release();
    },
  };
}

function noProject(): BatonError {
  return new BatonError('REPO_NOT_FOUND', 'There is no git repository here.', {
    fix: 'Go into the repository, name it with --repo PATH, or set DATABASE_URL.',
  });
}
