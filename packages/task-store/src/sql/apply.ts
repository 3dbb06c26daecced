import { z } from 'zod';
import type { Statement } from '../db.ts';

/** $1: the change as JSON. One statement, one transaction, one flush of the log. */
export const applyStatement = {
  name: 'apply',
  text: 'SELECT baton_apply($1::jsonb) AS applied',
  row: z.object({
    applied: z.union([
      z.object({ ok: z.literal(true), cascade: z.array(z.string()), released: z.number() }),
      z.object({ ok: z.literal(false), why: z.literal('repeated'), answer: z.unknown() }),
      z.object({ ok: z.literal(false), why: z.enum(['stale', 'fence', 'landing', 'approval']) }),
    ]),
  }),
  readonly: false,
} satisfies Statement;
