import type { Attempt, Claim, ClaimedTask, Fact } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { spentOut } from './report.ts';

/** Runs that cost something and came to nothing, for each try that a task has: beyond it a person decides. */
const paidRunsPerTry = 3;

/**
 * Ends those tasks of a claim whose earlier tries have cost all that they may, or that were paid for too often; nothing is started
 * for them.
 *
 * @returns the claim without them
 */
export async function endSpent(ctx: Pick<WorkerContext, 'store' | 'worker'>, claim: Claim): Promise<Claim> {
  const ends = new Map<string, Fact>();
  const bounded = claim.tasks.filter(
    // Of nothing nothing is used up: whether it may be tried is asked once its agent is known, see `unpayable`.
    ({ task, attempt }) => task.maxCostMicroUsd !== null && task.maxCostMicroUsd > 0 && attempt.number > 1,
  );
  if (bounded.length > 0) {
    const shares = await ctx.store.streams.shares(bounded.map(({ attempt }) => attempt.id));
    const spent = new Set(shares.flatMap((share) => (share.leftMicroUsd === 0 ? [share.attemptId] : [])));
    for (const { attempt } of bounded.filter((item) => spent.has(item.attempt.id)))
      ends.set(
        attempt.id,
        spentOut({ holding: { attemptId: attempt.id, fence: attempt.fence }, maxCost: false }),
      );
  }
  for (const item of claim.tasks) {
    const fact = await paidTooOften(ctx, item);
    if (fact !== null && !ends.has(item.attempt.id)) ends.set(item.attempt.id, fact);
  }
  for (const fact of ends.values()) await ctx.store.claims.record(fact, { actor: actorOf(ctx) });
  return { ...claim, tasks: claim.tasks.filter(({ attempt }) => !ends.has(attempt.id)) };
}

/** Why a task that may cost nothing is not given to an agent, or null: a command counts as free, a model has a price. Pure. */
export function unpayable(
  task: { maxCostMicroUsd: number | null },
  agent: { name: string; isCommand: boolean; isFree: boolean },
): string | null {
  if (task.maxCostMicroUsd !== 0 || agent.isCommand || agent.isFree) return null;
  return `its max_cost is 0, and the agent ${agent.name} is not known to be free`;
}

/** Whatever its runs were counted as: what never ends would be paid for without end. */
async function paidTooOften(
  ctx: Pick<WorkerContext, 'store'>,
  { task, attempt }: ClaimedTask,
): Promise<Fact | null> {
  const most = paidRunsPerTry * (1 + task.maxRetries);
  if (attempt.number <= most) return null;
  const paid = paidRuns(await ctx.store.tasks.attempts(task.id));
  if (paid < most) return null;
  const reason = `it was paid for ${paid} times and came to nothing, ${paidRunsPerTry} times for each of its tries`;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  return { fact: 'agent_failed', holding, reason, outcome: 'max_cost', denied: reason };
}

/** Runs that cost something and came to nothing since a person last let the task continue. Pure. */
export function paidRuns(attempts: readonly Pick<Attempt, 'outcome' | 'meter'>[]): number {
  const since = attempts.findLastIndex(({ outcome }) => outcome === 'max_cost') + 1;
  return attempts
    .slice(since)
    .filter(({ outcome, meter }) => meter !== 'none' && outcome !== null && outcome !== 'done').length;
}
