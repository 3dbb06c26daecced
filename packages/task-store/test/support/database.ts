import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '@baton/testkit';
import { migrate } from '../../src/index.ts';

const folder = new URL('../../prisma/migrations/', import.meta.url);
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();
const texts = names.map((name) => readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8'));

/** A migrated database of the test's own. */
export function storeDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    migrate: async (url) => {
      await migrate(url);
    },
    templateKey: createHash('sha256').update(texts.join('\0')).digest('hex'),
  });
}
