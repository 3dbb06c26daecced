import { afterAll, beforeAll } from 'vitest';
import pg from 'pg';
import { openStore, type Store, type StoreOptions } from '../../src/index.ts';
import { storeDatabase } from './database.ts';
import { flow, type Flow } from './flow.ts';

/** A store on a database of its own, and ways to move the database's time. */
export interface TestStore {
  store: Store;
  flow: Flow;
  url: string;
  /** A connection that knows nothing of the store. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** One more such connection, for the caller to end. */
  connection(): Promise<pg.Client>;
  /** Lets all back-offs be over. */
  makeDue(): Promise<void>;
  /** Lets all leases of attempts and lanes lapse. */
  lapse(): Promise<void>;
}

type Options = Omit<Partial<StoreOptions>, 'url'>;

/** Opens a store whose database is gone when the block ends. */
export async function ownStore(options: Options = {}): Promise<TestStore & AsyncDisposable> {
  const database = await storeDatabase();
  const store = await openStore({ url: database.url, random: () => 0, ...options });
  const connection = async () => {
    const made = new pg.Client({ connectionString: database.url });
    made.on('error', () => undefined);
    await made.connect();
    return made;
  };
  const client = await connection();
  const sql: TestStore['sql'] = async (text, values) =>
    ((await client.query(text, values)) as pg.QueryResult<Record<string, unknown>>).rows;
  return {
    store,
    flow: flow(store),
    url: database.url,
    sql,
    connection,
    async makeDue() {
      await sql(`UPDATE task SET not_before = now() - interval '1 second' WHERE not_before IS NOT NULL`);
    },
    async lapse() {
      await sql(
        `UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE lease_expires_at IS NOT NULL`,
      );
      await sql(
        `UPDATE lane SET lease_expires_at = now() - interval '1 second' WHERE lease_expires_at IS NOT NULL`,
      );
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await client.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Opens a store before the file's tests and closes it after them. */
export function testStore(options: Options = {}): TestStore {
  const held = {} as TestStore & AsyncDisposable;
  beforeAll(async () => {
    Object.assign(held, await ownStore(options));
  });
  afterAll(() => held[Symbol.asyncDispose]());
  return held;
}
