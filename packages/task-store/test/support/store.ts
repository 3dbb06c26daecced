import { afterAll, beforeAll } from 'vitest';
import pg from 'pg';
import type { TestDatabase } from '@baton/testkit';
import { openStore, type Store, type StoreOptions } from '../../src/index.ts';
import { storeDatabase } from './database.ts';
import { flow, type Flow } from './flow.ts';

/** A store on a database of the test file's own, and ways to move the database's time. */
export interface TestStore {
  store: Store;
  flow: Flow;
  url: string;
  /** A connection that knows nothing of the store. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Lets all back-offs be over. */
  makeDue(): Promise<void>;
  /** Lets all leases of attempts and lanes lapse. */
  lapse(): Promise<void>;
}

/** Opens a store before the file's tests and closes it after them. */
export function testStore(options: Omit<Partial<StoreOptions>, 'url'> = {}): TestStore {
  const held = {} as TestStore;
  let database: TestDatabase | undefined;
  let client: pg.Client | undefined;
  beforeAll(async () => {
    database = await storeDatabase();
    held.url = database.url;
    held.store = await openStore({ url: database.url, random: () => 0, ...options });
    held.flow = flow(held.store);
    client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    held.sql = async (text, values = []) => (await client?.query(text, values))?.rows ?? [];
    held.makeDue = async () => {
      await held.sql(`UPDATE task SET not_before = now() - interval '1 second' WHERE not_before IS NOT NULL`);
    };
    held.lapse = async () => {
      await held.sql(
        `UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE lease_expires_at IS NOT NULL`,
      );
      await held.sql(
        `UPDATE lane SET lease_expires_at = now() - interval '1 second' WHERE lease_expires_at IS NOT NULL`,
      );
    };
  });
  afterAll(async () => {
    await held.store.close();
    await client?.end();
    await database?.[Symbol.asyncDispose]();
  });
  return held;
}
