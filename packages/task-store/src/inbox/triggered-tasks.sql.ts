import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: creators of standing runs, $2: tasks that started before and are settled do not count */
export const triggeredTasksStatement = {
  name: 'triggered-tasks',
  text: `SELECT t.source ->> 'by' AS rule, t.created_at AS "createdAt", t.not_before AS "notBefore", t.settled
    FROM run r JOIN task t ON t.run_id = r.id
    WHERE r.standing AND r.created_by = ANY ($1) AND (NOT t.settled OR greatest(t.created_at, t.not_before) >= $2)`,
  row: z.object({
    rule: z.string(),
    createdAt: z.date(),
    notBefore: z.date().nullable(),
    settled: z.boolean(),
  }),
  readonly: true,
} satisfies Statement;
