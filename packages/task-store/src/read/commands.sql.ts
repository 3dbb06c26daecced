import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: id */
export const commandById = {
  name: 'command-by-id',
  text: 'SELECT answer FROM command WHERE id = $1',
  row: z.object({ answer: z.unknown() }),
  readonly: true,
} satisfies Statement;
