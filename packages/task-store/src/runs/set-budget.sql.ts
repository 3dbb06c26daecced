import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run_id, cap, actor, reason and maybe command as JSON. One transaction; refused below what is spent and reserved. */
export const setBudgetStatement = {
  name: 'set-budget',
  text: 'SELECT baton_set_budget($1::jsonb) AS answer',
  row: z.object({
    answer: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true) }),
      z.object({ ok: z.literal(false), spent: z.number(), reserved: z.number() }),
    ]),
  }),
  readonly: false,
} satisfies Statement;
