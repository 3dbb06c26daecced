import { readdirSync } from 'node:fs';
import pg from 'pg';
import { openStore, type Store } from '../../../src/index.ts';
import type { Ask } from './judge-rows.ts';

/** A store, and questions to its database that no API answers. */
export interface Court extends AsyncDisposable {
  store: Store;
  sql: Ask;
}

const folder = new URL('../../../prisma/migrations/', import.meta.url);
const migrations = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).length;

/** Opens what judges look at; null when the database holds no whole store yet. */
export async function openCourt(url: string): Promise<Court | null> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const sql: Ask = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
  const [row] = await sql(`SELECT to_regclass('public._prisma_migrations') AS found`);
  const [made] =
    row?.['found'] === null ? [] : await sql('SELECT count(*)::int AS n FROM _prisma_migrations');
  if (made?.['n'] !== migrations) {
    await client.end();
    return null;
  }
  const store = await openStore({ url, poolSize: 2 });
  return {
    store,
    sql,
    async [Symbol.asyncDispose]() {
      await client.end();
      await store.close();
    },
  };
}
