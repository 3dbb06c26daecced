import type { TransitionReason } from '@baton/fsm-core';
import type { Claim, ClaimedTask } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { holdRun } from '../open/hold-run.ts';
import { memberStart } from '../open/member-start.ts';
import { openBatch, type OpenBatch, type Refusal } from '../open/open-batch.ts';
import { rest } from './keep-idle.ts';
import { endSpent } from '../task/spent-out.ts';
import { runTask } from '../task/run-task.ts';

/** How a batch ended. */
export interface BatchEnd {
  /** Its agent answered for each of its tasks: it left no task to settle, and no other to wait for another agent. */
  plain: boolean;
}

/** Carries out one claim: open workspace and agent, one task after the other, batch over. */
export async function runBatch(ctx: WorkerContext, claimed: Claim): Promise<BatchEnd> {
  const claim = await endSpent(ctx, claimed);
  if (claim.tasks.length === 0) {
    await endBatch(ctx, claim);
    return { plain: false };
  }
  const opened = await openBatch(ctx, claim);
  if ('refused' in opened) {
    await giveBack(ctx, { claim, refusal: opened.refused });
    return { plain: false };
  }
  ctx.sessions.set(claim.sessionId, opened.live);
  try {
    return { plain: await workThrough(ctx, opened) };
  } finally {
    ctx.sessions.delete(claim.sessionId);
    await opened.repo.agentPool.release(opened.workspace);
  }
}

/** Works on the tasks one after the other. @returns Whether the agent answered for each of them. */
async function workThrough(ctx: WorkerContext, batch: OpenBatch): Promise<boolean> {
  const { claim } = batch;
  let position = 0;
  let broke = true;
  let plain = true;
  let withdrawn: string | null = null;
  try {
    for (const claimed of claim.tasks) {
      const start = await memberStart(ctx, batch, { claimed, earlier: claim.tasks.slice(0, position) });
      if ('waits' in start) {
        position += 1;
        await release(ctx, { tasks: [claimed], reason: start.waits });
        continue;
      }
      const end = await runTask(ctx, batch, { claimed, head: start.head, first: position === 0 });
      position += 1;
      withdrawn = end.withdrawn;
      if (withdrawn === null) ctx.withdrawals.restore(batch.route);
      else {
        const taskIds = claim.tasks.map(({ task }) => task.id);
        ctx.withdrawals.withdraw(batch.route, { reason: withdrawn, taskIds });
      }
      plain = end.goesOn;
      if (!plain) break;
      await rest(ctx, batch, { last: position === claim.tasks.length });
    }
    broke = false;
  } finally {
    const { exitCode, abortReason } = await batch.agent.close();
    await release(ctx, {
      // The task that broke us is not given back for nothing: it would break us again, at once and endlessly.
      tasks: claim.tasks.slice(broke ? position + 1 : position),
      reason: withdrawn ?? 'the agent ended before this task of the batch',
      ...(withdrawn === null
        ? { transitionReason: 'sibling_aborted' as const }
        : { because: 'agent_unavailable' as const }),
    });
    if (!broke) {
      await ctx.store.claims.record(
        {
          fact: 'batch_over',
          sessionId: claim.sessionId,
          exitCode,
          ...(abortReason === null ? {} : { abortReason }),
        },
        { actor: actorOf(ctx) },
      );
    }
  }
  return plain;
}

async function giveBack(
  ctx: WorkerContext,
  { claim, refusal }: { claim: Claim; refusal: Refusal },
): Promise<void> {
  await returnTasks(ctx, { claim, refusal });
  await endBatch(ctx, claim);
}

/** A batch for which nothing was started. */
async function endBatch(ctx: WorkerContext, { sessionId, run }: Claim): Promise<void> {
  await ctx.store.claims.record({ fact: 'batch_over', sessionId, exitCode: null }, { actor: actorOf(ctx) });
  await ctx.store.runs.settle(run.id);
}

async function returnTasks(
  ctx: WorkerContext,
  { claim, refusal }: { claim: Claim; refusal: Refusal },
): Promise<void> {
  if (refusal.setupFailed) {
    for (const { attempt } of claim.tasks) {
      const holding = { attemptId: attempt.id, fence: attempt.fence };
      await ctx.store.claims.record(
        {
          fact: 'setup_failed',
          holding,
          reason: refusal.reason,
          ...refusal.setupFailed,
        },
        { actor: actorOf(ctx) },
      );
    }
    return;
  }
  const { reason, pauseMs, because } = refusal;
  if (refusal.holdsRun) await holdRun(ctx, { run: claim.run, reason });
  await release(ctx, { tasks: claim.tasks, reason, pauseMs, ...(because && { because }) });
}

/** Gives tasks back unchanged; never counted as a try. */
export async function release(
  ctx: WorkerContext,
  {
    tasks,
    reason,
    pauseMs = 0,
    because,
    transitionReason,
  }: {
    tasks: readonly ClaimedTask[];
    reason: string;
    pauseMs?: number;
    because?: Refusal['because'];
    transitionReason?: TransitionReason;
  },
): Promise<void> {
  const parked = {
    ...(pauseMs === 0 ? {} : { notBefore: new Date(ctx.clock.now().getTime() + pauseMs) }),
    ...(because && { because }),
    ...(transitionReason && { transitionReason }),
  };
  for (const { attempt } of tasks) {
    await ctx.store.claims.record(
      { fact: 'released', holding: { attemptId: attempt.id, fence: attempt.fence }, reason, ...parked },
      { actor: actorOf(ctx) },
    );
  }
}
