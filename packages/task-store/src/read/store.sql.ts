import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** The name of this database among stores. */
export const storeIdentity = {
  name: 'store-identity',
  text: 'SELECT id FROM store_identity ORDER BY id LIMIT 1',
  row: z.object({ id: z.string() }),
  readonly: true,
} satisfies Statement;
