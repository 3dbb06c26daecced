import { taskMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { Statement } from '../db.ts';
import type { Task } from '../types.ts';

/** $1: run; what its status is computed from */
export const runTasks = {
  name: 'run-tasks',
  text: `SELECT t.id, t.key, t.status, t.settled, t.not_before AS "notBefore", t.blocked_on AS "blockedOn",
      ARRAY(SELECT d.depends_on_id::text FROM task_dependency d WHERE d.task_id = t.id AND NOT d.satisfied) AS "waitsFor"
    FROM task t WHERE t.run_id = $1 ORDER BY t.created_at, t.id`,
  row: z.object({
    id: z.string(),
    key: z.string(),
    status: z.enum(taskMachine.states),
    settled: z.boolean(),
    notBefore: z.coerce.date().nullable(),
    blockedOn: z
      .custom<NonNullable<Task['blockedOn']>>((value) => typeof value === 'object' && value !== null)
      .nullable(),
    waitsFor: z.array(z.string()),
  }),
  readonly: true,
} satisfies Statement;
