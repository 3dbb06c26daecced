import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

const runs = 20;
const most = 200;

/** $1: repository, $2: role, $3: scope. How long agents worked on what landed, newest first. */
export const pastDurationsStatement = {
  name: 'past-durations',
  text: `SELECT extract(epoch FROM a.done_at - w.at)::float8 * 1000 AS "durationMs", a.route->>'agent' AS agent, coalesce(s.model, a.route->>'model') AS model
    FROM (SELECT id FROM run WHERE repo_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${runs}) r
      CROSS JOIN LATERAL (SELECT o.* FROM attempt o WHERE o.run_id = r.id AND o.outcome = 'done' ORDER BY o.created_at DESC LIMIT ${most}) a
      JOIN task t ON t.id = a.task_id AND t.role = $2 AND t.scope = $3 JOIN agent_session s ON s.id = a.session_id
      CROSS JOIN LATERAL (SELECT min(c.at) AS at FROM change c JOIN step_move m ON m.step = c.step
        WHERE c.task_id = a.task_id AND c.attempt_id = a.id AND m.machine = 'turn' AND m.to_state = 'RUNNING') w
    WHERE w.at IS NOT NULL ORDER BY a.done_at DESC LIMIT ${most}`,
  row: z.object({
    durationMs: z.number(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
  }),
  readonly: true,
} satisfies Statement;

/** $1: task */
export const lineageOfTask = {
  name: 'lineage-of-task',
  text: 'SELECT baton_lineage($1) AS lineage',
  row: z.object({
    lineage: z
      .object({
        spent: z.number(),
        maxRetries: z.number(),
        maxAttempts: z.number().nullable(),
        granted: z.number(),
      })
      .nullable(),
  }),
  readonly: true,
} satisfies Statement;
