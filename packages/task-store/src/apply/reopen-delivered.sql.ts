import type { Statement } from '../db/statement.ts';
import { idRow } from '../db/rows.ts';

/**
 * $1: tasks, null for all; standing runs that had ended before a delivery made these tasks for them. A cancellation marks what
 * there is, so that a task without the mark came later.
 */
export const deliveredToEnded = {
  name: 'delivered-to-ended',
  text: `SELECT r.id FROM run r WHERE r.standing AND r.status IN ('failed', 'cancelled') AND EXISTS (SELECT 1 FROM task t
      WHERE t.run_id = r.id AND t.parent_id IS NULL AND t.source ->> 'kind' = 'trigger' AND NOT t.settled AND NOT t.cancel_requested
        AND (r.status = 'cancelled' OR t.created_at > r.finished_at) AND ($1::uuid[] IS NULL OR t.id = ANY ($1))) LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;
