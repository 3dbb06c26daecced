import { BatonError, newTask, personsWords } from '@baton/contracts';
import { taskMachine } from '@baton/fsm-core';
import { z } from 'zod';
import { commandId, pageCursor, reasonText, rowId } from '../api/inputs.ts';
import { createTasks } from '../tasks/create-tasks.ts';
import { asCommand, operator, router, viewer } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';
import { heldTaskProcedures } from './held-tasks.ts';

const byId = z.strictObject({ taskId: rowId });
const command = z.strictObject({
  taskId: rowId,
  reason: reasonText,
  commandId: commandId.optional(),
});
const again = command.extend({ say: personsWords.optional() });
const taskStatus = z.enum(taskMachine.states);

function by(ctx: { actor: string; command: { commandId?: string } }, { reason }: { reason: string }) {
  return { actor: ctx.actor, reason, ...ctx.command };
}

/** Tasks: create, read, explain, cancel, retry, unblock; and, for workers, claim by id to completion. */
export const tasksRouter = router({
  list: viewer
    .input(
      z
        .strictObject({
          runId: rowId.optional(),
          status: z.array(taskStatus).max(20).optional(),
          role: z.string().max(64).optional(),
          parentId: rowId.optional(),
          settled: z.boolean().optional(),
          labels: z.array(z.string().max(200)).max(100).optional(),
          text: z.string().min(1).max(200).optional(),
          cursor: pageCursor.optional(),
          limit: z.number().int().min(1).max(200).default(100),
        })
        .prefault({}),
    )
    .query(({ ctx, input }) => ctx.store.tasks.list(withoutUndefined(input))),
  get: viewer.input(byId).query(async ({ ctx, input }) => {
    const task = await ctx.store.tasks.get(input.taskId);
    if (task === null)
      throw new BatonError('NOT_FOUND', `There is no task ${input.taskId}.`, {
        fix: 'List tasks with tasks.list.',
      });
    return task;
  }),
  attempts: viewer.input(byId).query(({ ctx, input }) => ctx.store.tasks.attempts(input.taskId)),
  history: viewer
    .input(byId)
    .query(({ ctx, input }) => ctx.store.tasks.history({ machine: 'task', entityId: input.taskId })),
  explain: viewer.input(byId).query(({ ctx, input }) => ctx.store.tasks.explain(input.taskId)),
  graph: viewer
    .input(z.strictObject({ runId: rowId }))
    .query(({ ctx, input }) => ctx.store.tasks.graph(input.runId)),
  create: operator
    .input(
      z.strictObject({
        runId: rowId,
        tasks: z.array(newTask).min(1).max(1000),
        planned: z.boolean().default(false),
        commandId: commandId.optional(),
      }),
    )
    .use(asCommand)
    .mutation(({ ctx, input }) =>
      createTasks(ctx, {
        ...{ runId: input.runId, drafts: input.tasks, planned: input.planned, actor: ctx.actor },
        ...ctx.command,
      }),
    ),
  cancel: operator
    .input(command)
    .use(asCommand)
    .mutation(({ ctx, input }) => ctx.store.tasks.cancel(input.taskId, by(ctx, input))),
  retry: operator
    .input(again)
    .use(asCommand)
    .mutation(({ ctx, input }) => ctx.store.tasks.retry(input.taskId, { ...by(ctx, input), say: input.say })),
  unblock: operator
    .input(again)
    .use(asCommand)
    .mutation(({ ctx, input }) =>
      ctx.store.tasks.unblock(input.taskId, { ...by(ctx, input), say: input.say }),
    ),
  ...heldTaskProcedures,
});
