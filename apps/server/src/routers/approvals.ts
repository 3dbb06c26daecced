import { personsWords } from '@baton/contracts';
import { z } from 'zod';
import { commandId, reasonText, rowId, runReference } from '../api/inputs.ts';
import { asCommand, operator, router, viewer } from '../api/trpc.ts';

/** Finished work that waits for a person's word. No answer is ever a "yes". */
export const approvalsRouter = router({
  list: viewer
    .input(
      z
        .strictObject({
          run: runReference.optional(),
          status: z.enum(['waiting', 'approved', 'rejected', 'void']).default('waiting'),
        })
        .prefault({}),
    )
    .query(async ({ ctx, input }) =>
      ctx.store.approvals.list({
        status: input.status,
        ...(input.run === undefined ? {} : { runId: (await ctx.store.runs.find(input.run)).id }),
      }),
    ),
  decide: operator
    .input(
      z.strictObject({
        approvalId: rowId,
        approve: z.boolean(),
        nonce: z.string().min(1).max(200),
        reason: reasonText,
        say: personsWords.optional(),
        commandId: commandId.optional(),
      }),
    )
    .use(asCommand)
    .mutation(({ ctx, input }) =>
      ctx.store.approvals.decide(input.approvalId, {
        approve: input.approve,
        nonce: input.nonce,
        actor: ctx.actor,
        reason: input.reason,
        say: input.say,
        ...ctx.command,
      }),
    ),
});
