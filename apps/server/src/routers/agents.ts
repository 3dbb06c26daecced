import { z } from 'zod';
import { rowId } from '../api/inputs.ts';
import { viewSession } from '../api/session-view.ts';
import { router, viewer, worker } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';

const streamed = z.strictObject({
  sessionId: rowId.optional(),
  taskId: rowId.optional(),
  after: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an event')
    .optional(),
  limit: z.number().int().min(1).max(1000).default(200),
});

/** Agent sessions with their states, and what they streamed. */
export const agentsRouter = router({
  sessions: viewer
    .input(
      z
        .strictObject({
          runId: rowId.optional(),
          workerId: rowId.optional(),
          live: z.boolean().optional(),
        })
        .default({}),
    )
    .query(async ({ ctx, input }) => {
      const sessions = await ctx.store.tasks.sessions(withoutUndefined(input));
      return sessions.map(viewSession);
    }),
  events: viewer
    .input(streamed.prefault({}))
    .query(({ ctx, input }) => ctx.store.streams.events(withoutUndefined(input))),
  history: viewer
    .input(z.strictObject({ sessionId: rowId }))
    .query(({ ctx, input }) => ctx.store.tasks.history({ entityId: input.sessionId })),
  /** A sign of life of an agent that a worker looks after by HTTP. */
  heartbeat: worker
    .input(z.strictObject({ sessionId: rowId, activity: z.string().max(200).optional() }))
    .mutation(async ({ ctx, input: { sessionId, activity } }) => {
      await ctx.store.streams.touchSession(sessionId, activity === undefined ? {} : { activity });
      return { sessionId };
    }),
});
