import { taskMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import type { Task } from '../model/task.ts';

/** $1: run; what its status is computed from */
export const runTasks = {
  name: 'run-tasks',
  text: `SELECT t.id, t.key, t.parent_id AS "parentId", t.status, t.version, t.settled, t.not_before AS "notBefore", t.blocked_on AS "blockedOn",
      greatest(baton_cost_left(t), least(t.max_cost_micro_usd, 1)) AS "maxCostMicroUsd", CASE WHEN t.status = 'OPEN' AND t.not_before > now() THEN (
        SELECT l.outcome FROM (SELECT a.outcome, a.ended_at FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
            ORDER BY a.number DESC LIMIT 1) l
          WHERE l.outcome = 'price_unknown' OR l.outcome = 'budget' AND NOT EXISTS (SELECT 1 FROM attempt o WHERE o.run_id = t.run_id
            AND o.ended_at > l.ended_at AND o.outcome NOT IN ('budget', 'price_unknown'))) END AS refusal,
      ARRAY(SELECT d.depends_on_id::text FROM task_dependency d WHERE d.task_id = t.id AND NOT d.satisfied) AS "waitsFor"
    FROM task t WHERE t.run_id = $1 ORDER BY t.created_at, t.id`,
  row: z.object({
    id: z.string(),
    key: z.string(),
    parentId: z.string().nullable(),
    status: z.enum(taskMachine.states),
    version: z.number(),
    settled: z.boolean(),
    notBefore: z.coerce.date().nullable(),
    blockedOn: z
      .custom<NonNullable<Task['blockedOn']>>((value) => typeof value === 'object' && value !== null)
      .nullable(),
    maxCostMicroUsd: z.coerce.number().nullable(),
    refusal: z.enum(['budget', 'price_unknown']).nullable(),
    waitsFor: z.array(z.string()),
  }),
  readonly: true,
} satisfies Statement;
