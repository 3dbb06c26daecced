import { taskMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** $1: run. Its tasks and what each waits for, at one moment. */
export const graphStatement = {
  name: 'graph',
  text: `SELECT r.id AS "runId", r.slug,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', t.id, 'key', t.key, 'title', t.title, 'role', t.role, 'status', t.status, 'settled', t.settled,
        'parentId', t.parent_id) ORDER BY t.created_at, t.id) FROM task t WHERE t.run_id = r.id), '[]') AS nodes,
      coalesce((SELECT jsonb_agg(jsonb_build_object('taskId', d.task_id, 'dependsOnId', d.depends_on_id, 'satisfied', d.satisfied)
        ORDER BY t.created_at, t.id, d.depends_on_id) FROM task_dependency d JOIN task t ON t.id = d.task_id WHERE t.run_id = r.id), '[]') AS edges
    FROM run r WHERE r.id = $1`,
  row: z.object({
    runId: z.string(),
    slug: z.string(),
    nodes: z.array(
      z.object({
        id: z.string(),
        key: z.string(),
        title: z.string(),
        role: z.string(),
        status: z.enum(taskMachine.states),
        settled: z.boolean(),
        parentId: z.string().nullable(),
      }),
    ),
    edges: z.array(z.object({ taskId: z.string(), dependsOnId: z.string(), satisfied: z.boolean() })),
  }),
  readonly: true,
} satisfies Statement;
