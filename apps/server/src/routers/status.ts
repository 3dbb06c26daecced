import { z } from 'zod';
import { runReference } from '../api/inputs.ts';
import { operator, router, viewer } from '../api/trpc.ts';

/** One look at everything: counts by state, live sessions, workers, the position of the feed. */
export const statusRouter = router({
  overview: viewer
    .input(z.strictObject({ run: runReference.optional() }).default({}))
    .query(async ({ ctx, input }) => {
      const run = input.run === undefined ? null : await ctx.store.runs.find(input.run);
      const [counts, sessions, workers, feedPosition] = await Promise.all([
        ctx.store.audit.counts(run?.id),
        ctx.store.tasks.sessions({ live: true, ...(run === null ? {} : { runId: run.id }) }),
        ctx.store.workers.list(),
        ctx.store.feed.position(),
      ]);
      return {
        version: ctx.version,
        run,
        tasks: counts,
        liveSessions: sessions.length,
        workers: workers.map(({ id, name, status }) => ({ id, name, status })),
        feedPosition,
      };
    }),
  /** Reads the whole record: costly, so not for every reader. */
  audit: operator.query(({ ctx }) => ctx.store.audit.verify()),
});
