import { microUsd } from '@baton/contracts';
import { z } from 'zod';
import { commandId, pageCursor, reasonText, runReference, wholeRun } from '../api/inputs.ts';
import { namedRun } from '../api/named-run.ts';
import { asCommand, operator, router, viewer } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';

const runStatus = z.enum(['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled']);
const byId = z.strictObject({ run: runReference });
const command = z.strictObject({ run: wholeRun, reason: reasonText, commandId: commandId.optional() });

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
  pause: operator
    .input(command)
    .use(asCommand)
    .mutation(async ({ ctx, input }) =>
      ctx.store.runs.pause((await namedRun(ctx.store, input.run)).id, {
        ...{ actor: ctx.actor, reason: input.reason },
        ...ctx.command,
      }),
    ),
  resume: operator
    .input(command)
    .use(asCommand)
    .mutation(async ({ ctx, input }) =>
      ctx.store.runs.resume((await namedRun(ctx.store, input.run)).id, {
        ...{ actor: ctx.actor, reason: input.reason },
        ...ctx.command,
      }),
    ),
  setBudget: operator
    .input(
      command.extend({
        capMicroUsd: microUsd.nullable().describe('null: as much as it takes'),
      }),
    )
    .use(asCommand)
    .mutation(async ({ ctx, input: { run, capMicroUsd, reason } }) =>
      ctx.store.runs.setBudget((await namedRun(ctx.store, run)).id, {
        ...{ capMicroUsd, reason, actor: ctx.actor },
        ...ctx.command,
      }),
    ),
  cancel: operator
    .input(command)
    .use(asCommand)
    .mutation(async ({ ctx, input }) =>
      ctx.store.runs.cancel((await namedRun(ctx.store, input.run)).id, {
        ...{ actor: ctx.actor, reason: input.reason },
        ...ctx.command,
      }),
    ),
});
