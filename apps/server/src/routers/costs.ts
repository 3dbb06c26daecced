import { costReport } from '@baton/router-cost';
import { z } from 'zod';
import { runReference } from '../api/inputs.ts';
import { router, viewer } from '../api/trpc.ts';

/** What a run cost, by task, role, model, agent (a review counts for its reviewer) or day. */
export const costsRouter = router({
  report: viewer
    .input(
      z.strictObject({
        run: runReference,
        by: z.enum(['task', 'run', 'role', 'model', 'agent', 'day']).default('task'),
      }),
    )
    .query(async ({ ctx, input }) => {
      const run = await ctx.store.runs.find(input.run);
      const entries = await ctx.store.streams.usageEntries({ runId: run.id });
      return {
        runId: run.id,
        budgetMicroUsd: run.budgetMicroUsd,
        /** What was booked; null: not known. */
        spentMicroUsd: known(run.spentMicroUsd, run.unmeasuredAttempts),
        unmeasuredMicroUsd: run.unmeasuredMicroUsd,
        unmeasured: run.unmeasuredAttempts,
        reservedMicroUsd: run.reservedMicroUsd,
        rows: costReport(entries, input.by).map((row) => ({
          ...row,
          costMicroUsd: known(row.costMicroUsd, row.unmeasured),
        })),
      };
    }),
});

/** A cost of which nothing is known is none, not zero. */
function known(costMicroUsd: number, unmeasured: number): number | null {
  return unmeasured > 0 && costMicroUsd === 0 ? null : costMicroUsd;
}
