import { listSalvage } from '@baton/spawner';
import type { Repo, Run } from '@baton/task-store';
import { publishSalvage } from '../task/attempt-head.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { isGone } from '../context/gone-worker.ts';

/**
 * Reports agents of this host that no worker looks after: their worker is dead, or it is us and we never heard of the
 * claim (its answer was lost with the connection). Their leases end at once instead of running out, and so does all
 * else that a dead worker held.
 */
export async function reportDeadSessions(ctx: WorkerContext): Promise<number> {
  const here = (await ctx.store.workers.list()).filter((worker) => worker.host === ctx.worker.host);
  const gone = here.filter((worker) => worker.id !== ctx.worker.id && isGone(ctx, worker));
  const livingIds = new Set(here.filter((worker) => !gone.includes(worker)).map(({ id }) => id));
  const unclaimedOf = await ctx.claims.unclaimedOf(() =>
    ctx.store.tasks.sessions({ workerId: ctx.worker.id, live: true }),
  );
  const sessions = await ctx.store.tasks.sessions({ host: ctx.worker.host, live: true }); // of any run: a run may have ended first
  const left = sessions.filter(({ workerId }) => !livingIds.has(workerId));
  let dead = 0;
  const ended = [
    ...left.map(({ id }) => ({ id, reason: 'its worker process is gone' })),
    ...unclaimedOf.map(({ id }) => ({ id, reason: ctx.claims.endOf(id) })),
  ];
  for (const { id, reason } of ended) {
    const outcome = await ctx.store.claims.record(
      {
        fact: 'process_died',
        sessionId: id,
        exitCode: null,
        abortReason: 'parent_aborted',
        reason,
      },
      { actor: actorOf(ctx) },
    );
    if (outcome.ok) dead += 1;
  }
  const lost = gone.filter(({ status }) => status !== 'offline');
  // It may have died between the last landing of a run and what follows; the sweep settles such runs after its refs.
  if (lost.length > 0) ctx.landingRefs.mayBeLeft = true;
  for (const { id } of lost) {
    await ctx.store.workers.setStatus(id, 'offline', { actor: actorOf(ctx), reason: 'its process is gone' });
  }
  return dead;
}

/**
 * Settles orphaned attempts: their uncommitted work is salvaged, then the task goes back to the queue
 * (docs/spec/store.md#expiry).
 */
export async function settleOrphans(ctx: WorkerContext): Promise<number> {
  const orphans = await ctx.store.claims.takeOrphans({
    workerId: ctx.worker.id,
    host: ctx.worker.host,
    leaseMs: ctx.timing.leaseMs,
    ...(ctx.runId === null ? {} : { runId: ctx.runId }),
  });
  for (const { run, repo, task, attempt, session } of orphans) {
    const saved = await salvageOf(ctx, { run, repo, attempt: { taskId: task.id, fence: attempt.fence } });
    await ctx.store.claims.record(
      {
        fact: 'orphan_settled',
        holding: { attemptId: attempt.id, fence: attempt.fence },
        to: 'OPEN',
        reason:
          (session?.abortReason
            ? `its agent ended: ${session.abortReason}`
            : 'its agent ended before it was done') + saved.aside,
        ...(saved.ref === null ? {} : { salvageRef: saved.ref }),
      },
      { actor: actorOf(ctx) },
    );
    await ctx.store.runs.settle(run.id);
  }
  return orphans.length;
}

/** What the dead process left in its worktree is saved under the task's name before anything else happens to it. */
async function salvageOf(
  ctx: WorkerContext,
  { run, repo, attempt }: { run: Run; repo: Repo; attempt: { taskId: string; fence: number } },
): Promise<{ ref: string | null; aside: string }> {
  const { clone, agentPool } = await ctx.repos.open(run, repo);
  await agentPool.recover();
  const { taskId } = attempt;
  const all = await listSalvage(clone, taskId);
  const ref = all.findLast(({ kind }) => kind === 'tree')?.ref ?? null;
  if (ref !== null) await publishSalvage(ctx, { repo, clone, taskId });
  const kept = all.find(({ kind, fence }) => kind === 'set-aside' && fence === attempt.fence);
  const aside =
    kept === undefined ? '' : `; its worktree was set aside, as ${kept.title}: ${kept.path ?? ''}`;
  return { ref: ref ?? all.findLast(({ kind }) => kind === 'commit')?.ref ?? null, aside };
}
