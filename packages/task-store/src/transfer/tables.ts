import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** A table of the store, as the database describes it; gaps of the log are about transactions of this server alone. */
export const tablesStatement = {
  name: 'transfer-tables',
  text: `SELECT c.relname AS name,
      (SELECT jsonb_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
      coalesce((SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attgenerated <> ''), '[]') AS generated,
      (SELECT jsonb_agg(a.attname ORDER BY array_position(i.indkey::int2[], a.attnum)) FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary) AS key,
      coalesce((SELECT jsonb_agg(DISTINCT f.confrelid::regclass::text) FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid), '[]') AS needs,
      coalesce((SELECT jsonb_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND pg_get_serial_sequence(c.oid::regclass::text, a.attname) IS NOT NULL), '[]') AS serials
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname NOT IN ('_prisma_migrations', 'machine_cell', 'step', 'step_move', 'log_gap') ORDER BY c.relname`,
  row: z.object({
    name: z.string(),
    columns: z.array(z.string()),
    /** Columns that the database works out itself. */
    generated: z.array(z.string()),
    key: z.array(z.string()),
    needs: z.array(z.string()),
    serials: z.array(z.string()),
  }),
  readonly: true,
} satisfies Statement;

export type StoreTable = z.output<typeof tablesStatement.row>;

/** Which migrations made the tables: rows fit only the same ones. */
export const migrationsStatement = {
  name: 'transfer-migrations',
  text: 'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name',
  row: z.object({ name: z.string() }),
  readonly: true,
} satisfies Statement;

/** Tables in an order in which what a row refers to comes before it. */
export function inOrder(tables: readonly StoreTable[]): StoreTable[] {
  const placed: StoreTable[] = [];
  const rest = [...tables];
  while (rest.length > 0) {
    const at = rest.findIndex((table) =>
      table.needs.every((name) => placed.some((each) => each.name === name)),
    );
    // The tables of the store refer to one another in no circle.
    placed.push(...rest.splice(Math.max(at, 0), 1));
  }
  return placed;
}

/** Rows in an order that is the same for the same rows; of tasks, parents first. */
export function orderOf(table: StoreTable): string {
  const columns = table.name === 'task' ? ['created_at', 'id'] : table.key;
  return columns.map(quoted).join(', ');
}

/** A name of the catalogue, as SQL takes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
