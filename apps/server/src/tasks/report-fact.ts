import { BatonError } from '@baton/contracts';
import type { TaskStatus } from '@baton/fsm-core';
import type { Fact, Store } from '@baton/task-store';
import { reopenSpending, settleSpending } from './spending.ts';

/** Records a fact that a holder reports over the API. @throws LEASE_LOST, ILLEGAL_TRANSITION, STALE, NOT_FOUND */
export async function reportFact(
  ctx: { store: Store; actor: string },
  fact: Fact,
  options: { commandId?: string | undefined } = {},
): Promise<{ taskStatus: TaskStatus | null }> {
  const { commandId } = options;
  const outcome = await ctx.store.claims.record(fact, {
    actor: ctx.actor,
    // One call may report several facts; each is a command of its own.
    ...(commandId === undefined ? {} : { commandId: `${commandId}:${fact.fact}` }),
  });
  if (outcome.ok) return { taskStatus: outcome.taskStatus };
  throw new BatonError(outcome.code, outcome.message, {
    fix: 'Read the task again (tasks.get); claim it again if it is free.',
  });
}

/** Books what a one-task claim cost, reports the fact that ends it, then that its session is over, and settles the run. */
export async function reportEnd(
  ctx: { store: Store; actor: string },
  fact: Fact,
  options: {
    sessionId: string;
    attemptId: string;
    exitCode: number;
    costMicroUsd?: number | undefined;
    commandId?: string | undefined;
  },
): Promise<{ taskStatus: TaskStatus | null }> {
  const { sessionId, attemptId, exitCode, costMicroUsd, commandId } = options;
  const attempts = await ctx.store.tasks.listAttempts({ sessionId });
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) {
    throw new BatonError('NOT_FOUND', `The session ${sessionId} has no attempt ${attemptId}.`, {
      fix: 'Send sessionId and holding as tasks.claim answered them.',
    });
  }
  const settled = await settleSpending(ctx.store, fact, { attempt, costMicroUsd });
  const answer = await reportFact(ctx, settled, { commandId }).catch(async (refusal: unknown) => {
    await reopenSpending(ctx.store, attempt, refusal).catch(() => undefined);
    throw refusal;
  });
  await reportFact(ctx, { fact: 'batch_over', sessionId, exitCode }, { commandId });
  await ctx.store.runs.settle(attempt.runId);
  return answer;
}
