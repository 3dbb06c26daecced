import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@baton/embedded-postgres';
import { tempDir, until } from '@baton/testkit';
import { migrate } from '../../../src/index.ts';

/** A database server that may be killed, with fresh migrated databases. Ends with the `await using` block. */
export interface TortureServer extends AsyncDisposable {
  embedded: EmbeddedPostgres;
  fresh(): Promise<{ url: string; drop(): Promise<void> }>;
  /** Folder for what Node has compiled once, so that hundreds of processes start fast. */
  compileCache: string;
  /** Waits until it answers again after a kill. */
  settled(): Promise<void>;
}

/**
 * Starts a server of its own, in a folder of its own.
 *
 * @param compileCache A folder that several servers' trials share; one of its own when left out.
 */
export async function openTortureServer(compileCache?: string): Promise<TortureServer> {
  const home = await tempDir();
  const embedded = await startEmbeddedPostgres({ home: home.path, database: 'template' });
  const dispose = async () => {
    await embedded.release();
    await home[Symbol.asyncDispose]();
  };
  try {
    await migrate(embedded.url);
  } catch (error) {
    await dispose();
    throw error;
  }
  let made = 0;
  const admin = async (text: string) => {
    const client = new pg.Client({ connectionString: urlOf(embedded, 'postgres') });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  const settled = async () => {
    await embedded.ensureRunning();
    // The server itself may live while it recovers from the end of a backend.
    await until(() => admin('SELECT 1').then(() => true), {
      what: 'the database answers',
      timeoutMs: 60_000,
    });
  };
  return {
    embedded,
    async fresh() {
      const name = `trial_${(made += 1)}`;
      await admin(`CREATE DATABASE ${name} TEMPLATE template`);
      return {
        url: urlOf(embedded, name),
        async drop() {
          await settled();
          await admin(`DROP DATABASE ${name} WITH (FORCE)`);
        },
      };
    },
    settled,
    compileCache: compileCache ?? path.join(home.path, 'compiled'),
    [Symbol.asyncDispose]: dispose,
  };
}

function urlOf(embedded: EmbeddedPostgres, database: string): string {
  const url = new URL(embedded.url);
  url.pathname = `/${database}`;
  return url.href;
}
