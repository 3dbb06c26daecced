import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres, type EmbeddedPostgres } from '@baton/embedded-postgres';

/** The environment variables that decide where test databases live. */
export interface TestServerEnv {
  /** A running server to use; its user must be allowed to create databases. */
  DATABASE_URL?: string | undefined;
  /** Home of the shared test server; `baton-test-pg-<user id>` in the folder for temporary files when left out. */
  BATON_TEST_PG_HOME?: string | undefined;
}

/** A process's hold on the server that carries the test databases. */
export interface TestServer {
  /** Address of a database for administration. */
  adminUrl: string;
  /** Whether only this machine's processes use it. */
  isOwn: boolean;
  release(): Promise<void>;
}

/** A packaged server of this process, and how many hold it. */
interface Held {
  holders: number;
  server: Promise<EmbeddedPostgres>;
}

/** By home: files that share a process may use different ones at the same time. */
const heldServers = new Map<string, Held>();

/** Takes hold of the server; the last hold of the last process ends it, when it is ours. */
export async function holdTestServer(env: TestServerEnv): Promise<TestServer> {
  if (env.DATABASE_URL) {
    return { adminUrl: env.DATABASE_URL, isOwn: false, release: () => Promise.resolve() };
  }
  const home = homeOf(env);
  const held = heldServers.get(home) ?? {
    holders: 0,
    server: startEmbeddedPostgres({ home, database: 'postgres' }),
  };
  heldServers.set(home, held);
  held.holders++;
  try {
    const server = await held.server;
    await server.ensureRunning();
    return { adminUrl: server.url, isOwn: true, release: () => letGo(home, held) };
  } catch (error) {
    await letGo(home, held).catch(() => undefined); // the first error is the one to report
    throw error;
  }
}

async function letGo(home: string, held: Held): Promise<void> {
  held.holders--;
  const server = await held.server;
  if (held.holders > 0 || heldServers.get(home) !== held) return;
  heldServers.delete(home);
  await server.release();
}

function homeOf(env: TestServerEnv): string {
  return env.BATON_TEST_PG_HOME ?? path.join(tmpdir(), `baton-test-pg-${process.getuid?.() ?? 0}`);
}
