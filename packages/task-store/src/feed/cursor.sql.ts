import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: reader */
export const cursorOf = {
  name: 'cursor-of',
  text: 'SELECT c.position FROM cursor c WHERE c.name = $1',
  row: z.object({ position: z.coerce.number() }),
  readonly: true,
} satisfies Statement;

/** $1: reader, $2: position */
export const setCursorStatement = {
  name: 'set-cursor',
  text: 'INSERT INTO cursor (name, position) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET position = excluded.position',
  row: z.unknown(),
  readonly: false,
  isIdempotent: true,
} satisfies Statement;
