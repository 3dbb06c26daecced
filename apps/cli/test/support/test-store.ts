import path from 'node:path';

import { migrate, openStore, type Store } from '@baton/task-store';
import { createTestDatabase, folderKey } from '@baton/testkit';

const migrations = path.join(import.meta.dirname, '../../../../packages/task-store/prisma/migrations');

interface TestStore extends AsyncDisposable {
  store: Store;
  url: string;
  /** Runs one statement. */
  sql(text: string): Promise<void>;
}

/** A store with a database of its own, as a command finds it by `DATABASE_URL`. */
export async function createTestStore(): Promise<TestStore> {
  const database = await createTestDatabase({
    migrate: async (url) => void (await migrate(url)),
    templateKey: await folderKey(migrations),
  });
  const store = await openStore({ url: database.url });
  return {
    store,
    url: database.url,
    sql: database.sql,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
