import { BatonError } from '@baton/contracts';
import type pg from 'pg';

/** The last of the migrations that made the same tables before they became one. */
const lastOfMany = '0027_waits';
const firstOfMany = '0001_init';
/** Functions that nothing calls any more, or whose arguments have other names now. */
const dropped = [
  'baton_is_legal(text)',
  'baton_is_run_state(text)',
  'baton_free_reservation(uuid)',
  'baton_miss(text)',
  'baton_path_ranges(uuid, text[])',
  'baton_paths_free(uuid, text[], timestamptz)',
];

/**
 * Takes over a database whose schema was made step by step, before the steps became one migration: its tables are the same, and its
 * functions are replaced by those of the baseline.
 *
 * @throws MIGRATION_FAILED for one in which not all steps were done
 */
export async function adoptFirstLayout(
  client: pg.Client,
  baseline: { name: string; checksum: string; sql: string },
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const names = rows.map(({ name }) => name);
  if (!names.includes(firstOfMany)) return;
  if (!names.includes(lastOfMany))
    throw new BatonError('MIGRATION_FAILED', 'The database was made by a version of Baton that is too old.', {
      fix: 'Write it to a file with `baton export` of that version, then read the file into a new database with `baton import`.',
    });
  await client.query('BEGIN');
  try {
    for (const name of dropped) await client.query(`DROP FUNCTION IF EXISTS ${name}`);
    for (const [text] of baseline.sql.matchAll(/^CREATE FUNCTION [^]*?^\$\$;$/gm))
      await client.query(text.replace('CREATE', 'CREATE OR REPLACE'));
    await client.query('DELETE FROM _prisma_migrations');
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
      [baseline.checksum, baseline.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Names of the migrations as an export tells them, the steps of the first layout as the one that they became. */
export function laidOutBy(names: readonly string[]): readonly string[] {
  return names[0] === firstOfMany && names.at(-1) === lastOfMany ? ['0001_baseline'] : names;
}
