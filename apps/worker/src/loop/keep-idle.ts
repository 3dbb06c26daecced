import { actorOf, type WorkerContext } from '../context/context.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import { policiesOf } from '../context/policies.ts';

/**
 * Lets an agent that is through with a task rest, where its run says that agents are kept (`reuse`): it takes the next
 * task of its batch, or is recycled when none came in time. Source: docs/spec/kernel.md#idle-agents.
 */
export async function rest(
  ctx: WorkerContext,
  { claim, live }: OpenBatch,
  { last }: { last: boolean },
): Promise<void> {
  const { recycleMs } = policiesOf(claim.run);
  if (recycleMs === null || live.stopped !== null) return;
  const outcome = await ctx.store.claims.record(
    { fact: 'rested', sessionId: claim.sessionId },
    { actor: actorOf(ctx) },
  );
  if (!outcome.ok) ctx.log.warn('an agent could not rest', { message: outcome.message });
  if (last && outcome.ok && recycleMs > 0 && !ctx.draining()) await recycled(live, recycleMs);
}

/** Ends with the timer, or with the session. */
function recycled(live: OpenBatch['live'], recycleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, recycleMs);
    live.onStop(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
