import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: task, $2: number of the attempt. What its agent should know, and the fence of who holds it. */
export const knownOfTask = {
  name: 'known-of-task',
  text: `SELECT t.fence::float8 AS fence, t.continue_from AS "continueFrom", CASE WHEN $2::int > 1 THEN baton_earlier(t.id, $2::int) END AS earlier, baton_predecessors(t.id) AS predecessors
    FROM task t WHERE t.id = $1`,
  row: z.object({
    fence: z.number(),
    continueFrom: z.object({ startCommit: z.string(), headCommit: z.string() }).nullable(),
    earlier: z.object({ rejections: z.array(z.string()), salvageRef: z.string().nullable() }).nullable(),
    predecessors: z
      .array(
        z.object({
          key: z.string(),
          title: z.string(),
          summary: z.string().nullable(),
          landedCommit: z.string().nullable(),
        }),
      )
      .nullable(),
  }),
  readonly: true,
} satisfies Statement;
