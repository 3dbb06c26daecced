import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** Open tasks that are due, and runs whose tasks have room in the budget again: claimable again. Gives how many. */
export const wakeDue = {
  name: 'wake-due',
  text: `WITH due AS (UPDATE task t SET claimable = true WHERE t.stage = 'OPEN' AND NOT t.claimable AND t.not_before <= now()
      AND baton_run_open(t.run_id) RETURNING 1) SELECT count(*)::int + baton_feed_due() AS woken FROM due`,
  row: z.object({ woken: z.number() }),
  readonly: false,
} satisfies Statement;
