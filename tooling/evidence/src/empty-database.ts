import { createTestDatabase, type TestDatabase } from '@baton/testkit';

/** An empty database of its own, on `DATABASE_URL` or the packaged server; dropped at the end of the `await using` block. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ templateKey: 'empty', migrate: () => Promise.resolve() });
}
