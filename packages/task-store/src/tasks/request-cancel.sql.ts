import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: task; $2: id of the command or null; $3: actor. Asks for its cancel and that of all below it; gives those asked. What depends on it
 * follows once it is CANCELLED. The command is written down in any case, and one that was before asks for nothing.
 */
export const requestCancel = {
  name: 'request-cancel',
  text: `WITH RECURSIVE below AS (SELECT $1::uuid AS id UNION SELECT c.id FROM task c JOIN below b ON c.parent_id = b.id),
    said AS (INSERT INTO command (id, actor, answer) SELECT $2::text, $3::text, jsonb_build_object('taskId', $1::uuid)
      WHERE $2::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING id)
    UPDATE task t SET cancel_requested = true, updated_at = now() FROM below b
      WHERE t.id = b.id AND NOT t.settled AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM said)) RETURNING t.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;
