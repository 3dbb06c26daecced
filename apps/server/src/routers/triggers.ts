import { triggerEvent } from '@baton/contracts';
import { z } from 'zod';
import { router, viewer } from '../api/trpc.ts';

/** Trigger rules with what is wrong with their file, deliveries, and what an event would do. */
export const triggersRouter = router({
  rules: viewer.query(({ ctx }) => ctx.triggers.rules()),
  deliveries: viewer
    .input(z.strictObject({ limit: z.number().int().min(1).max(500).default(50) }).prefault({}))
    .query(({ ctx, input }) => ctx.store.inbox.deliveries({ limit: input.limit })),
  /** Evaluates without creating anything: which rules would fire, and why not. */
  test: viewer
    .input(z.strictObject({ event: triggerEvent }))
    .query(({ ctx, input }) => ctx.triggers.evaluate(input.event)),
});
