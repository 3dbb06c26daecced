import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: id */
export const commandById = {
  name: 'command-by-id',
  text: 'SELECT answer FROM command WHERE id = $1',
  row: z.object({ answer: z.unknown() }),
  readonly: true,
} satisfies Statement;

/** $1: id, $2: actor, $3: what is asked. The first request under this id; one that commits at the same moment counts as before. */
export const openCommandStatement = {
  name: 'open-command',
  text: `INSERT INTO command (id, actor, answer) VALUES ($1, $2, jsonb_build_object('request', $3::text))
    ON CONFLICT (id) DO UPDATE SET id = command.id RETURNING answer->>'request' AS request`,
  row: z.object({ request: z.string() }),
  readonly: false,
} satisfies Statement;
