import { plan } from '@baton/contracts';
import { z } from 'zod';
import { submitPlan } from '../submit-plan.ts';
import { operator, router } from '../trpc.ts';

const decision = z.strictObject({
  run: z.string().min(1),
  reason: z.string().min(1).max(1000),
  taskIds: z.array(z.string()).optional(),
});

/** Plans: submit (PLANNED), approve (→ OPEN), reject (→ CANCELLED), whole or in part. */
export const plansRouter = router({
  submit: operator
    .input(
      z.strictObject({
        plan,
        repo: z.strictObject({ location: z.string().min(1), host: z.string().nullable() }),
        baseCommit: z
          .string()
          .regex(/^[0-9a-f]{40,64}$/)
          .nullable()
          .default(null),
      }),
    )
    .mutation(({ ctx, input }) =>
      submitPlan(ctx, {
        plan: input.plan,
        config: null,
        repo: input.repo,
        baseCommit: input.baseCommit,
        actor: ctx.actor,
        source: { kind: 'plan', by: ctx.actor, trusted: true },
      }),
    ),
  approve: operator.input(decision).mutation(async ({ ctx, input }) => ({
    approved: await ctx.store.approvePlan((await ctx.store.findRun(input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
      ...(input.taskIds ? { taskIds: input.taskIds } : {}),
    }),
  })),
  reject: operator.input(decision).mutation(async ({ ctx, input }) => ({
    rejected: await ctx.store.rejectPlan((await ctx.store.findRun(input.run)).id, {
      actor: ctx.actor,
      reason: input.reason,
      ...(input.taskIds ? { taskIds: input.taskIds } : {}),
    }),
  })),
});
