import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '@baton/contracts';
import { migrate, openStore, type Store } from '@baton/task-store';
import { createTestDatabase, tempDir, until, type TestDatabase } from '@baton/testkit';
import { createBatonClient, type BatonClient } from '../src/client.ts';
import { startServer, type RunningServer, type ServerOptions } from '../src/compose.ts';
import { readServerEnv, type ServerEnv } from '../src/env.ts';
import { makeApiKey, type KeyScope } from '../src/access/keys.ts';
import { systemClock, systemIds } from '@baton/service/system';

const migrations = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@baton/task-store/package.json'))),
  'prisma/migrations',
);

async function templateKey(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrations)).sort()) {
    if (name.endsWith('.toml')) continue;
    hash.update(name).update(await readFile(path.join(migrations, name, 'migration.sql')));
  }
  return `store ${hash.digest('hex')}`;
}

/** A database with Baton's tables. */
export async function storeDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    migrate: async (url) => void (await migrate(url)),
    templateKey: await templateKey(),
  });
}

export const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** One line of a log that keeps what it is told. */
export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: Readonly<Record<string, unknown>> | undefined;
}

/** A log that keeps its lines. */
export function keptLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push({ level, message, fields });
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** A database, a store of the test's own, and servers on them. */
export interface Bench extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly database: TestDatabase;
  readonly store: Store;
  /** A folder for files of the test. */
  readonly folder: string;
  /** Starts a server; more than one may run. */
  serve(env?: Partial<ServerEnv>, options?: ServerOptions): Promise<RunningServer>;
  /** Makes a key and returns it. */
  key(...scopes: KeyScope[]): Promise<string>;
  /** A client with a new key of these scopes. */
  client(server: RunningServer, ...scopes: KeyScope[]): Promise<BatonClient>;
}

/** Makes a bench; everything is closed and deleted at its end. */
export async function createBench(): Promise<Bench> {
  const [database, folder] = await Promise.all([storeDatabase(), tempDir()]);
  const store = await openStore({ url: database.url, clock: systemClock, ids: systemIds });
  const servers = new Set<RunningServer>();
  const key = async (...scopes: KeyScope[]) => {
    const made = makeApiKey();
    const id = systemIds.uuid();
    await store.keys.create({
      id,
      name: `test-${scopes.join('-')}`,
      hash: made.hash,
      prefix: made.prefix,
      scopes,
    });
    return made.key;
  };
  return {
    databaseUrl: database.url,
    database,
    store,
    folder: folder.path,
    async serve(env = {}, options = {}) {
      const base = readServerEnv({ DATABASE_URL: database.url, BATON_PORT: '0', BATON_HOME: folder.path });
      const server = await startServer({ ...base, ...env }, { log: quiet, ...options });
      servers.add(server);
      return { url: server.url, close: () => (servers.delete(server) ? server.close() : Promise.resolve()) };
    },
    key,
    client: async (server, ...scopes) => createBatonClient({ url: server.url, key: await key(...scopes) }),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      await store.close();
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Waits until everything that was written has its place in the feed; the position of the last event. */
export async function feedEnd(store: Store): Promise<number> {
  const numbered = async () => {
    await store.feed.sequence();
    return (await store.audit.counts())['unsequencedEvents'] === 0;
  };
  await until(numbered, { what: 'all events are numbered' });
  return store.feed.position();
}
