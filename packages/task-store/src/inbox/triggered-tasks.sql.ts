import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: creators of standing runs, $2: tasks that started longer ago (ms) and are settled do not count. By the clock of the database. */
export const triggeredTasksStatement = {
  name: 'triggered-tasks',
  text: `SELECT c.now, baton_made_by_rules($1)::float8 AS made, (SELECT coalesce(json_agg(json_build_object('rule', t.source ->> 'by',
      'createdAt', t.created_at, 'notBefore', t.not_before, 'settled', t.settled)), '[]') FROM run r JOIN task t ON t.run_id = r.id
      WHERE r.standing AND r.created_by = ANY ($1)
        AND (NOT t.settled OR greatest(t.created_at, t.not_before) >= c.now - $2::float8 * interval '1 millisecond')) AS tasks
    FROM (SELECT clock_timestamp() AS now) c`,
  row: z.object({
    now: z.date(),
    made: z.number(),
    tasks: z.array(
      z.object({
        rule: z.string(),
        createdAt: z.coerce.date(),
        notBefore: z.coerce.date().nullable(),
        settled: z.boolean(),
      }),
    ),
  }),
  readonly: true,
} satisfies Statement;
