import { z } from 'zod';
import { reasonText, rowId } from '../api/inputs.ts';
import { operator, router, viewer, worker } from '../api/trpc.ts';

const id = z.string().min(1).max(200);
const registration = z.strictObject({
  id: z.uuid(),
  name: id,
  host: id,
  pid: z
    .number()
    .int()
    .positive()
    .max(2 ** 31 - 1),
  pidStarted: id,
  bootId: id,
  capacity: z.number().int().min(1).max(200),
  labels: z.array(z.string().max(200)).max(100).default([]),
  version: id,
  runId: rowId.nullable().default(null),
});
const change = z.strictObject({ workerId: rowId, reason: reasonText });

/** Workers: list and drain them; those that come by HTTP register and send heartbeats here. */
export const workersRouter = router({
  list: viewer.query(({ ctx }) => ctx.store.workers.list()),
  /** No new claims; running batches finish. */
  drain: operator.input(change).mutation(async ({ ctx, input: { workerId, reason } }) => {
    await ctx.store.workers.setStatus(workerId, 'draining', { actor: ctx.actor, reason });
    return { draining: workerId };
  }),
  register: worker.input(registration).mutation(({ ctx, input }) => ctx.store.workers.register(input)),
  heartbeat: worker.input(z.strictObject({ workerId: rowId })).mutation(async ({ ctx, input }) => ({
    status: (await ctx.store.workers.heartbeat(input.workerId)).status,
  })),
});
