import { z } from 'zod';
import { rowId, runReference } from '../api/inputs.ts';
import { router, viewer } from '../api/trpc.ts';

const byRun = z.strictObject({ run: runReference });

/** What was checked and what landed. */
export const qualityRouter = router({
  /** Verdicts on a task's candidates, with every check. */
  verdicts: viewer
    .input(z.strictObject({ taskId: rowId }))
    .query(({ ctx, input }) => ctx.store.tasks.verdicts(input.taskId)),
  /** Gates of a run, pinned at its base, and what they said of the base before any work. */
  gates: viewer.input(byRun).query(async ({ ctx, input }) => {
    const { id, gates, gatesHash, allowRed, baseCommit } = await ctx.store.runs.find(input.run);
    return {
      runId: id,
      gates,
      gatesHash,
      allowRed,
      baseCommit,
      baseVerdict: await ctx.store.runs.baseVerdict(id),
    };
  }),
  landings: viewer
    .input(byRun)
    .query(async ({ ctx, input }) =>
      ctx.store.tasks.landings({ runId: (await ctx.store.runs.find(input.run)).id }),
    ),
});
