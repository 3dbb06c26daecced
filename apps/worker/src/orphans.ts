import { isAlive } from '@baton/spawner';
import type { Repo, Run } from '@baton/task-store';
import { actorOf, type WorkerContext } from './context.ts';

/** Reports agents of this host whose worker is dead: their leases end at once instead of running out. */
export async function reportDeadSessions(ctx: WorkerContext): Promise<number> {
  const sessions = await ctx.store.sessions({
    host: ctx.worker.host,
    live: true,
    ...(ctx.runId === null ? {} : { runId: ctx.runId }),
  });
  const workers = new Map((await ctx.store.workers()).map((worker) => [worker.id, worker]));
  let dead = 0;
  for (const session of sessions) {
    const owner = workers.get(session.workerId);
    if (
      session.workerId === ctx.worker.id ||
      (owner && isAlive({ pid: owner.pid, pidStarted: owner.pidStarted }))
    )
      continue;
    const outcome = await ctx.store.record(
      {
        fact: 'process_died',
        sessionId: session.id,
        exitCode: null,
        abortReason: 'parent_aborted',
        reason: 'its worker process is gone',
      },
      { actor: actorOf(ctx) },
    );
    if (outcome.ok) dead += 1;
  }
  return dead;
}

/** Settles orphaned attempts: their uncommitted work is salvaged, then the task goes back to the queue (store.md §3, Expiry). */
export async function settleOrphans(ctx: WorkerContext): Promise<number> {
  const orphans = await ctx.store.takeOrphans({
    workerId: ctx.worker.id,
    host: ctx.worker.host,
    leaseMs: ctx.timing.leaseMs,
    ...(ctx.runId === null ? {} : { runId: ctx.runId }),
  });
  for (const { run, repo, task, attempt, session } of orphans) {
    const salvageRef = await salvageOf(ctx, { run, repo, taskId: task.id });
    await ctx.store.record(
      {
        fact: 'orphan_settled',
        holding: { attemptId: attempt.id, fence: attempt.fence },
        to: 'OPEN',
        reason: session?.abortReason
          ? `its agent ended: ${session.abortReason}`
          : 'its agent ended before it was done',
        ...(salvageRef === null ? {} : { salvageRef }),
      },
      { actor: actorOf(ctx) },
    );
    await ctx.store.settleRun(run.id);
  }
  return orphans.length;
}

/** What the dead process left in its worktree is saved under the task's name before anything else happens to it. */
async function salvageOf(
  ctx: WorkerContext,
  { run, repo, taskId }: { run: Run; repo: Repo; taskId: string },
): Promise<string | null> {
  const { clone, agentPool } = await ctx.repos.open(run, repo);
  await agentPool.recover();
  return (await clone.salvageRefs(taskId)).at(-1)?.ref ?? null;
}
