import { plan, repoLocation } from '@baton/contracts';
import { z } from 'zod';
import { commandId, reasonText, rowId, wholeRun } from '../api/inputs.ts';
import { namedRun } from '../api/named-run.ts';
import { submitPlan } from '../tasks/submit-plan.ts';
import { asCommand, operator, router } from '../api/trpc.ts';

const decision = z.strictObject({
  run: wholeRun,
  reason: reasonText,
  taskIds: z.array(rowId).max(10_000).optional(),
});

/** Plans: submit (PLANNED), approve (→ OPEN), reject (→ CANCELLED), whole or in part. */
export const plansRouter = router({
  submit: operator
    .input(
      z.strictObject({
        plan,
        repo: z.strictObject({ location: repoLocation, host: z.string().min(1).max(200).nullable() }),
        baseCommit: z
          .string()
          .regex(/^[0-9a-f]{40,64}$/)
          .nullable()
          .default(null),
        commandId: commandId.optional(),
      }),
    )
    .use(asCommand)
    .mutation(({ ctx, input }) =>
      submitPlan(ctx, {
        plan: input.plan,
        pinned: ctx.pinnedFor(input.repo),
        repo: input.repo,
        baseCommit: input.baseCommit,
        actor: ctx.actor,
        command: ctx.command,
        source: { kind: 'plan', by: ctx.actor, trusted: true },
      }),
    ),
  approve: operator.input(decision).mutation(async ({ ctx, input }) => ({
    approved: await ctx.store.runs.approvePlan((await namedRun(ctx.store, input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
      ...(input.taskIds ? { taskIds: input.taskIds } : {}),
    }),
  })),
  reject: operator.input(decision).mutation(async ({ ctx, input }) => ({
    rejected: await ctx.store.runs.rejectPlan((await namedRun(ctx.store, input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
      ...(input.taskIds ? { taskIds: input.taskIds } : {}),
    }),
  })),
});
