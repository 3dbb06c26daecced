import { BatonError } from '@baton/contracts';
import type { Attempt, Fact, Store } from '@baton/task-store';
import { z } from 'zod';

/** More than this for one attempt is no cost. */
export const mostMicroUsd = 1_000_000_000_000;

const refusing = z.looseObject({ budget: z.looseObject({ unmeasured: z.literal('refuse') }) });

/**
 * Before an agent that is not of this machine starts for an attempt that has not begun.
 * @throws PRICE_UNKNOWN when the plan refuses agents that do not report all they spend, and this one did not in the same run
 */
export async function refuseSilentAgent(
  store: Store,
  { sessionId, attemptId, adapter }: { sessionId: string; attemptId: string; adapter: string },
): Promise<void> {
  const attempt = (await store.tasks.listAttempts({ sessionId })).find(({ id }) => id === attemptId);
  if (attempt === undefined || attempt.startCommit !== null) return;
  const run = await store.runs.get(attempt.runId);
  if (run === null || !refusing.safeParse(run.plan).success) return;
  if (!(await store.streams.unmeasuredAgents(run.id)).includes(adapter)) return;
  throw new BatonError(
    'PRICE_UNKNOWN',
    `The agent "${adapter}" has not reported all that it spent in this run, and the plan refuses such agents.`,
    { at: 'adapter', fix: 'Release the task, or start another agent and report its costMicroUsd.' },
  );
}

/**
 * Before the agent of a worker that comes by HTTP is at work: from here on what it spends is unknown until its worker reports it, and is
 * booked at its bound without a report. A command counts as free where its task has no max_cost.
 */
export async function openSpending(
  store: Store,
  { sessionId, attemptId, adapter }: { sessionId: string; attemptId: string; adapter: string },
): Promise<void> {
  const attempt = (await store.tasks.listAttempts({ sessionId })).find(({ id }) => id === attemptId);
  // The same call again: the work may be done by now.
  if (attempt === undefined || attempt.meter !== 'none' || attempt.startCommit !== null) return;
  const task = adapter === 'command' ? await store.tasks.get(attempt.taskId) : null;
  if (task !== null && task.maxCostMicroUsd === null) return;
  await store.streams.openMeter(attemptId);
}

/**
 * Books what of a total is not booked yet: an earlier report may have been refused while the agent worked on. Each part is booked where
 * the one before ended, so that reports that come twice or at once book it once.
 * @returns whether the task has cost more than its max_cost
 */
async function bookTotal(
  store: Store,
  { attempt, costMicroUsd }: { attempt: Attempt; costMicroUsd: number },
): Promise<boolean> {
  const { id: attemptId, taskId } = attempt;
  const tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const book = (offset: number, cost: number) => {
    const usage = { model: null, ...tokens, costMicroUsd: cost, estimated: false };
    return store.streams.recordUsage({ attemptId, offset, usage, costMicroUsd: cost });
  };
  const measured = ({ costMicroUsd: cost, unmeasuredMicroUsd }: Attempt) => cost - unmeasuredMicroUsd;
  let before = -1;
  for (let booked = measured(attempt); booked > before && booked < costMicroUsd;) {
    await book(booked + 1, costMicroUsd - booked);
    const now = (await store.tasks.attempts(taskId)).find(({ id }) => id === attemptId);
    before = booked;
    booked = measured(now ?? attempt);
  }
  return (await book(0, 0)).maxCostExceeded;
}

/**
 * After a report that was refused though its sender holds the attempt: the agent may work on, so what it spends is unknown again until
 * the next report.
 */
export async function reopenSpending(store: Store, { id, meter }: Attempt, refusal: unknown): Promise<void> {
  if (meter !== 'open' || BatonError.is(refusal, 'LEASE_LOST')) return;
  await store.streams.openMeter(id);
}

/**
 * Books what a worker says that an attempt has cost, once, before it reports how that ended.
 * @param given.costMicroUsd undefined: it does not say
 * @returns The fact to report: work that cost more than its max_cost is not accepted.
 */
export async function settleSpending(
  store: Store,
  fact: Fact,
  { attempt, costMicroUsd }: { attempt: Attempt; costMicroUsd: number | undefined },
): Promise<Fact> {
  const { id: attemptId } = attempt;
  if (costMicroUsd === undefined) {
    // One who does not hold it says nothing of what its holder spends.
    if (!('holding' in fact) || fact.holding.fence !== attempt.fence) return fact;
    const reason = 'Its worker did not report what it cost.';
    await store.streams.closeMeter(attemptId, { meter: 'unknown', reason });
    return fact;
  }
  const maxCostExceeded = await bookTotal(store, { attempt, costMicroUsd });
  await store.streams.closeMeter(attemptId, { meter: 'measured' });
  if (fact.fact !== 'done' || !maxCostExceeded) return fact;
  const reason = 'it cost more than its max_cost allows';
  return { fact: 'agent_failed', holding: fact.holding, reason, outcome: 'max_cost', denied: reason };
}
