import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: task, $2: event, kind, actor, reason and metadata as JSON. A refused or late report is kept, without effect. */
export const writeNote = {
  name: 'write-note',
  text: 'SELECT baton_write_note($1, $2::jsonb)',
  row: z.unknown(),
  readonly: false,
} satisfies Statement;
