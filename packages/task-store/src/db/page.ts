import { BatonError } from '@baton/contracts';
import type { Page } from '../model/page.ts';

const defaultLimit = 100;
const largestLimit = 1000;
const cursorForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How many rows a page may hold. */
export function pageLimit(limit: number | undefined): number {
  return Math.min(Math.max(limit ?? defaultLimit, 1), largestLimit);
}

/** The id of the row after which the page begins. @throws INVALID_INPUT for a cursor that no page gave out */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (cursorForm.test(cursor)) return cursor;
  throw notOurs();
}

/** An empty page may be the last one, or that of a cursor which is none of this store's. @throws INVALID_INPUT */
export async function refuseForeign(
  rows: readonly unknown[],
  { cursor, find }: { cursor: string | null; find: (id: string) => Promise<unknown> },
): Promise<void> {
  if (rows.length > 0 || cursor === null || (await find(cursor)) !== null) return;
  throw notOurs();
}

const notOurs = () =>
  new BatonError('INVALID_INPUT', 'The cursor is not one that a page gave out.', {
    fix: 'Start again without a cursor.',
  });

/** What LIKE would take for a sign is taken as itself. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

/** Makes a page out of up to `limit` + 1 rows. */
export function toPage<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
