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

let holders = 0;
let own: Promise<EmbeddedPostgres> | undefined;

/** Takes hold of the server; the last hold of the last process ends it, when it is ours. */
export async function holdTestServer(env: TestServerEnv): Promise<TestServer> {
  if (env.DATABASE_URL) {
    return { adminUrl: env.DATABASE_URL, isOwn: false, release: () => Promise.resolve() };
  }
  holders++;
  try {
    own ??= startEmbeddedPostgres({ home: homeOf(env), database: 'postgres' });
    const server = await own;
    await server.ensureRunning();
    return { adminUrl: server.url, isOwn: true, release: letGo };
  } catch (error) {
    holders--;
    if (holders === 0) own = undefined;
    throw error;
  }
}

async function letGo(): Promise<void> {
  holders--;
  if (holders > 0) return;
  const server = await own;
  if (holders > 0) return;
  own = undefined;
  await server?.release();
}

function homeOf(env: TestServerEnv): string {
  return env.BATON_TEST_PG_HOME ?? path.join(tmpdir(), `baton-test-pg-${process.getuid?.() ?? 0}`);
}
