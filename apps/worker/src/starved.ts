import type { Task } from '@baton/task-store';
import { actorOf, type WorkerContext } from './context.ts';

/** Another worker counts as living while its last heartbeat is younger than this. */
const silentMs = 30_000;

/**
 * A worker that carries one run out, and can start none of the agents that are left, pauses the run with the reason: nobody would ever
 * see it move. Null: something can still move, here or elsewhere.
 */
export async function pauseIfStarved(ctx: WorkerContext): Promise<string | null> {
  const waiting = ctx.withdrawals.waiting();
  if (ctx.runId === null || waiting.size === 0 || ctx.sessions.size > 0 || ctx.draining()) return null;
  if (await othersCould(ctx)) return null;
  const open = await openTasks(ctx, ctx.runId);
  const reason = starvation(open, waiting);
  if (reason === null) return null;
  await ctx.store.pauseRun(ctx.runId, { actor: actorOf(ctx), reason: `AGENT_UNAVAILABLE: ${reason}` });
  return reason;
}

/** Why nothing moves: every task that is left waits for an agent that cannot be started, or for such a task. Pure. */
export function starvation(open: readonly Task[], waiting: ReadonlyMap<string, string>): string | null {
  const stuck = open.every(
    (task) => task.status === 'OPEN' && (waiting.has(task.id) || task.pendingDependencies > 0),
  );
  const reasons = new Set(open.flatMap(({ id }) => waiting.get(id) ?? []));
  return stuck && reasons.size > 0 ? [...reasons].join(' ') : null;
}

async function othersCould(ctx: WorkerContext): Promise<boolean> {
  const since = ctx.clock.now().getTime() - silentMs;
  return (await ctx.store.workers()).some(
    ({ id, status, runId, heartbeatAt }) =>
      id !== ctx.worker.id &&
      status === 'online' &&
      (runId === null || runId === ctx.runId) &&
      heartbeatAt.getTime() > since,
  );
}

async function openTasks(ctx: WorkerContext, runId: string): Promise<Task[]> {
  const found: Task[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await ctx.store.listTasks({
      ...{ runId, settled: false, limit: 500 },
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}
