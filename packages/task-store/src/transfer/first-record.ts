import { z } from 'zod';
import { isFirstLayout } from '../first-layout.ts';

/** Tables of the first record that are none any more. */
const positions = 'feed_position';
const goneTables = new Set(['feed_queue', 'outbox', positions]);
const row = z.record(z.string(), z.unknown());
const plain = (name: string, text: string) => ({ name, text, row: z.unknown(), readonly: false as const });

/** Was an export of version 1 made of the last schema that wrote such ones? */
export function isFirstRecord(migrations: readonly string[]): boolean {
  return (
    migrations.join() === '0001_baseline' ||
    (migrations.every(isFirstLayout) && migrations.at(-1) === '0027_waits')
  );
}

/** Is this a table that only the first record has? */
export const isGoneTable = (name: string): boolean => goneTables.has(name);

/** Where the rows of a table are put until all are there; null: they are not needed. */
export const heldOf = (name: string): string | null => (name === positions ? 'first_position' : null);

/** What the columns of a row of the first record are checked as: events and archive lose their own hashes. */
export function adapted(table: string, value: unknown): unknown {
  const old = row.safeParse(value);
  if (!old.success) return value;
  if (table === 'lifecycle_event') return without(old.data, 'hash');
  if (table === 'archived_entity') return { ...without(old.data, 'last_hash'), ...defaults };
  return value;
}

/** Columns that the first record does not have. */
export const defaults = { ids: '{}' };

function without(value: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Before the rows: a place for positions. */
export const beforeRows = plain(
  'import-first-positions',
  'CREATE TEMP TABLE first_position (position bigint, event_id bigint) ON COMMIT DROP',
);

/** After the rows: the log of the events that are there, in the order of their positions, and readers at the same events. */
export const afterRows = [
  plain(
    'import-first-cursors',
    `UPDATE cursor c SET position = (SELECT count(*) FROM first_position f JOIN lifecycle_event e ON e.id = f.event_id
      WHERE f.position <= c.position)`,
  ),
  plain(
    'import-first-log',
    `INSERT INTO log_entry (first, next, seen, ids, leaves, hash)
     SELECT 1, n.next, n.seen, n.ids, n.leaves, baton_link(NULL, n.next, n.leaves) FROM (
       SELECT count(*) + 1 AS next, max(e.id) AS seen, array_agg(e.id ORDER BY f.position NULLS LAST, e.id) AS ids,
         string_agg(baton_leaf(e), '' ORDER BY f.position NULLS LAST, e.id) AS leaves
       FROM lifecycle_event e LEFT JOIN first_position f ON f.event_id = e.id HAVING count(*) > 0) n`,
  ),
];
