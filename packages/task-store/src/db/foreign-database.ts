import { BatonError } from '@baton/contracts';
import type pg from 'pg';
import { isFirstLayout } from './first-layout.ts';

/** Tables and views of the schema that Baton would use, but for those of extensions. */
const found = `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname`;

const prismaTable = '_prisma_migrations';
/** Both layouts of Baton have it, and no other application is likely to. */
const ownTable = 'store_identity';
const baseline = '0001_baseline';
const mostNamed = 5;

const fix =
  'Give Baton a database of its own: `createdb baton`, and name it in DATABASE_URL; without DATABASE_URL it uses a packaged Postgres.';

/**
 * Baton never puts its tables among those of others: what is there already must be its own. Writes nothing.
 * @throws DATABASE_FOREIGN saying what was found
 */
export async function refuseForeign(client: pg.Client): Promise<void> {
  const names = (await client.query<{ name: string }>(found)).rows.map(({ name }) => name);
  const tables = names.filter((name) => name !== prismaTable);
  const migrations = names.includes(prismaTable)
    ? (await client.query<{ name: string }>(`SELECT migration_name AS name FROM ${prismaTable}`)).rows
    : [];
  const isBatons = migrations.some(({ name }) => name === baseline || isFirstLayout(name));
  if (isBatons || (tables.length === 0 && migrations.length === 0)) return;
  if (tables.includes(ownTable))
    throw new BatonError(
      'DATABASE_FOREIGN',
      'The database has tables of Baton, and not its list of migrations (_prisma_migrations): it was restored in part.',
      {
        fix: `Restore the whole backup into an empty database. Or: ${fix}`,
        details: { tables },
      },
    );
  throw new BatonError(
    'DATABASE_FOREIGN',
    `The database belongs to another application: it has ${listed(tables, migrations)}.`,
    {
      fix,
      details: { tables },
    },
  );
}

function listed(tables: readonly string[], migrations: readonly { name: string }[]): string {
  if (tables.length === 0) return `the migration ${migrations[0]?.name ?? ''}`;
  const more = tables.length - mostNamed;
  const named = tables.slice(0, mostNamed).join(', ');
  return `the tables ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
