import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { lifetimeMs, type Route } from '@baton/router-cost';
import { openAgent, redactor, type AgentRunner, type Workspace } from '@baton/spawner';
import type { Claim, ClaimedTask } from '@baton/task-store';
import { actorOf, type WorkerContext } from './context.ts';
import { prepareRun } from './prepare-run.ts';
import type { RepoAccess } from './repos.ts';
import { routeBatch } from './route-batch.ts';
import { runTask } from './run-task.ts';

/** A claim whose workspace and agent are open. */
export interface OpenBatch {
  claim: Claim;
  route: Route;
  repo: RepoAccess;
  workspace: Workspace;
  agent: AgentRunner;
  /** Head of the target when the workspace was opened: it holds all dependencies. */
  freshHead: string;
}

/** Carries out one claim: route, open workspace, one task after the other, batch over. */
export async function runBatch(ctx: WorkerContext, claim: Claim): Promise<void> {
  const ready = await prepareRun(ctx, claim);
  if (!ready.ok) return release(ctx, claim.tasks, ready.reason);
  const vetoed = await ctx.plugins?.intercept('task:claimed', {
    runId: claim.run.id,
    taskIds: claim.tasks.map((item) => item.task.id),
  });
  if (vetoed && !vetoed.ok)
    return release(
      ctx,
      claim.tasks,
      `plugin ${vetoed.by}: ${vetoed.reason}`,
      new Date(ctx.clock.now().getTime() + 30_000),
    );
  const decision = await routeBatch(ctx, claim);
  if (!decision.ok) return refuse(ctx, claim, decision);
  const repo = await ctx.repos.open(claim.run, claim.repo);
  const freshHead = await repo.clone.fetchTarget(claim.run.target);
  const workspace = await openWorkspace(ctx, { claim, repo, freshHead });
  if (workspace === null) return;
  try {
    await workThrough(ctx, {
      claim,
      route: decision,
      repo,
      workspace,
      agent: startAgent(ctx, { claim, route: decision, workspace }),
      freshHead,
    });
  } finally {
    await repo.agentPool.release(workspace);
  }
}

async function workThrough(ctx: WorkerContext, batch: OpenBatch): Promise<void> {
  let head = batch.freshHead;
  let position = 0;
  try {
    for (const claimed of batch.claim.tasks) {
      const end = await runTask(ctx, batch, { claimed, head, first: position === 0 });
      position += 1;
      head = end.head;
      if (end.withdrawn !== null)
        await ctx.store.failRun(batch.claim.run.id, { actor: actorOf(ctx), reason: end.withdrawn });
      if (!end.goesOn) break;
    }
  } finally {
    const exit = await batch.agent.close();
    await release(ctx, batch.claim.tasks.slice(position), 'the agent ended before this task of the batch');
    await ctx.store.record(
      {
        fact: 'batch_over',
        sessionId: batch.claim.sessionId,
        exitCode: exit.exitCode,
        ...(exit.abortReason === null ? {} : { abortReason: exit.abortReason }),
      },
      { actor: actorOf(ctx) },
    );
  }
}

function startAgent(
  ctx: WorkerContext,
  { claim, route, workspace }: { claim: Claim; route: Route; workspace: Workspace },
): AgentRunner {
  const lifetime = Math.max(...claim.tasks.map((item) => lifetimeMs(item.task.scope)));
  return openAgent({
    name: route.agentName,
    definition: route.definition,
    model: route.model,
    workspace,
    operatorEnv: ctx.operatorEnv,
    marker: claim.sessionId,
    stateDir: ctx.stateDir,
    clock: ctx.clock,
    limits: { lifetimeMs: lifetime },
    logFile: path.join(ctx.logsDir, `${claim.sessionId}.log`),
    redact: redactor(ctx.operatorEnv),
  });
}

async function openWorkspace(
  ctx: WorkerContext,
  { claim, repo, freshHead }: { claim: Claim; repo: RepoAccess; freshHead: string },
): Promise<Workspace | null> {
  try {
    return await repo.agentPool.acquire({ head: freshHead, owner: ownerOf(claim) });
  } catch (cause) {
    if (!BatonError.is(cause)) throw cause;
    const reason = `${cause.code}: ${cause.message}`;
    for (const { attempt } of claim.tasks) {
      await ctx.store.record(
        {
          fact: 'setup_failed',
          holding: { attemptId: attempt.id, fence: attempt.fence },
          reason,
          retry: cause.retryable,
          counted: true,
        },
        { actor: actorOf(ctx) },
      );
    }
    return null;
  }
}

async function refuse(
  ctx: WorkerContext,
  claim: Claim,
  refusal: { code: string; message: string; fix: string },
): Promise<void> {
  const reason = `${refusal.code}: ${refusal.message} ${refusal.fix}`;
  if (refusal.code === 'BUDGET_EXCEEDED' || refusal.code === 'PRICE_UNKNOWN') {
    return release(ctx, claim.tasks, reason, new Date(ctx.clock.now().getTime() + 60_000));
  }
  await release(ctx, claim.tasks, reason);
  await ctx.store.failRun(claim.run.id, { actor: actorOf(ctx), reason });
}

/** Gives tasks back unchanged; never counted as a try. */
export async function release(
  ctx: WorkerContext,
  tasks: readonly ClaimedTask[],
  reason: string,
  notBefore?: Date,
): Promise<void> {
  for (const { attempt } of tasks) {
    await ctx.store.record(
      {
        fact: 'released',
        holding: { attemptId: attempt.id, fence: attempt.fence },
        reason,
        ...(notBefore === undefined ? {} : { notBefore }),
      },
      { actor: actorOf(ctx) },
    );
  }
}

/** Whose work a crash would leave in the worktree: the first task's, until `startTask` names the next. */
function ownerOf(claim: Claim): { taskId: string; fence: number } | null {
  const first = claim.tasks[0];
  return first ? { taskId: first.task.id, fence: first.attempt.fence } : null;
}
