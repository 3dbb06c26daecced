import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: task. Asks for its cancel and that of all below it; gives those asked. What depends on it follows once it is CANCELLED. */
export const requestCancel = {
  name: 'request-cancel',
  text: `WITH RECURSIVE below AS (SELECT $1::uuid AS id UNION SELECT c.id FROM task c JOIN below b ON c.parent_id = b.id)
    UPDATE task t SET cancel_requested = true, updated_at = now() FROM below b WHERE t.id = b.id AND NOT t.settled RETURNING t.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;
