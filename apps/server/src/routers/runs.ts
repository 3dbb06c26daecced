import { microUsd } from '@baton/contracts';
import { z } from 'zod';
import { commandId, pageCursor, reasonText, runReference } from '../api/inputs.ts';
import { operator, router, viewer } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';

const runStatus = z.enum(['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled']);
const byId = z.strictObject({ run: runReference });
const command = byId.extend({ reason: reasonText });

/** Runs: read, pause, resume, set the budget, cancel. */
export const runsRouter = router({
  list: viewer
    .input(
      z
        .strictObject({
          status: z.array(runStatus).max(20).optional(),
          cursor: pageCursor.optional(),
          limit: z.number().int().min(1).max(200).default(50),
        })
        .prefault({}),
    )
    .query(({ ctx, input }) => ctx.store.runs.list(withoutUndefined(input))),
  get: viewer.input(byId).query(({ ctx, input }) => ctx.store.runs.find(input.run)),
  pause: operator.input(command).mutation(async ({ ctx, input }) =>
    ctx.store.runs.pause((await ctx.store.runs.find(input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
    }),
  ),
  resume: operator.input(command).mutation(async ({ ctx, input }) =>
    ctx.store.runs.resume((await ctx.store.runs.find(input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
    }),
  ),
  setBudget: operator
    .input(
      command.extend({
        capMicroUsd: microUsd.nullable().describe('null: as much as it takes'),
        commandId: commandId.optional(),
      }),
    )
    .mutation(async ({ ctx, input: { run, ...change } }) =>
      ctx.store.runs.setBudget(
        (await ctx.store.runs.find(run)).id,
        withoutUndefined({ ...change, actor: ctx.actor }),
      ),
    ),
  cancel: operator.input(command).mutation(async ({ ctx, input }) =>
    ctx.store.runs.cancel((await ctx.store.runs.find(input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
    }),
  ),
});
