import { z } from 'zod';
import { rowId } from '../api/inputs.ts';
import { router, viewer } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';

/** Track records of agents, and what they let an agent do without a person. */
export const trustRouter = router({
  /** One row for each agent, model and role on a repository. */
  list: viewer
    .input(z.strictObject({ repoId: rowId.optional() }).default({}))
    .query(({ ctx, input }) => ctx.store.trust.list(withoutUndefined(input))),
  /** May the agent of this attempt make the move without a person, and on what evidence? */
  of: viewer
    .input(
      z.strictObject({
        attemptId: rowId,
        move: z.enum(['land', 'decompose', 'retry']).default('land'),
      }),
    )
    .query(({ ctx, input }) => ctx.store.trust.of(input.attemptId, input.move)),
});
