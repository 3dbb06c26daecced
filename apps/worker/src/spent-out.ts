import type { Claim } from '@baton/task-store';
import { actorOf, type WorkerContext } from './context.ts';
import { spentOut } from './report.ts';

/**
 * Ends those tasks of a claim whose earlier tries have cost all that they may; nothing is started for them.
 *
 * @returns the claim without them
 */
export async function endSpent(ctx: Pick<WorkerContext, 'store' | 'worker'>, claim: Claim): Promise<Claim> {
  const bounded = claim.tasks.filter(
    ({ task, attempt }) => task.maxCostMicroUsd !== null && attempt.number > 1,
  );
  if (bounded.length === 0) return claim;
  const shares = await ctx.store.shares(bounded.map(({ attempt }) => attempt.id));
  const spent = new Set(
    shares.filter(({ leftMicroUsd }) => leftMicroUsd === 0).map(({ attemptId }) => attemptId),
  );
  for (const { attempt } of bounded) {
    if (!spent.has(attempt.id)) continue;
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    await ctx.store.record(spentOut({ holding, maxCost: false }), { actor: actorOf(ctx) });
  }
  return { ...claim, tasks: claim.tasks.filter(({ attempt }) => !spent.has(attempt.id)) };
}
