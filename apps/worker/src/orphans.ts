import { isAlive, salvageWorktree } from '@baton/spawner';
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
        abortReason: 'unknown',
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
    const access = await ctx.repos.open(run, repo);
    const salvageRef = session?.workspace
      ? await salvageWorktree({
          git: ctx.git,
          clone: access.clone,
          worktree: session.workspace,
          taskId: task.id,
          fence: attempt.fence,
        })
      : null;
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
