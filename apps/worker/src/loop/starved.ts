import type { Task } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';

/** Another worker counts as living while its last heartbeat is younger than this. */
const longestSilenceMs = 30_000;

/** A run that has to wait longer is paused: no user watches it that long. */
const longWaitMs = 3_600_000;

/**
 * A worker that carries one run out pauses it with the reason when nothing of it can move for long: none of the agents that are
 * left can be started, or their providers answer only in hours or days. Null: something can still move, here or elsewhere.
 */
export async function pauseIfStarved(ctx: WorkerContext): Promise<string | null> {
  if (ctx.runId === null || ctx.sessions.size > 0 || ctx.draining()) return null;
  const found = await starvation(ctx, ctx.runId);
  if (found === null || (await othersCould(ctx))) return null;
  const code = found.passes ? 'PROVIDER_PARKED' : 'AGENT_UNAVAILABLE';
  await ctx.store.runs.pause(ctx.runId, { actor: actorOf(ctx), reason: `${code}: ${found.reason}` });
  return found.reason;
}

/**
 * Why nothing moves: each task that is left waits for an agent or a provider, or for such a task. The first that does not ends the
 * look. `passes`: there is nothing to put right.
 */
async function starvation(
  ctx: WorkerContext,
  runId: string,
): Promise<{ reason: string; passes: boolean } | null> {
  const waiting = ctx.withdrawals.waiting();
  const reasons = new Set<string>();
  let passes = true;
  for await (const task of openTasks(ctx, runId)) {
    if (task.status !== 'OPEN') return null;
    if (task.pendingDependencies > 0) continue;
    const unavailable = waiting.get(task.id);
    const reason = unavailable ?? (await longWait(ctx, task));
    if (reason === null) return null;
    passes &&= unavailable === undefined;
    reasons.add(reason);
  }
  return reasons.size > 0 ? { reason: [...reasons].join(' '), passes } : null;
}

/** What its provider said, where that answers again only in a long while. */
async function longWait({ store, clock }: WorkerContext, task: Task): Promise<string | null> {
  if ((task.notBefore?.getTime() ?? 0) < clock.now().getTime() + longWaitMs) return null;
  const { cause, text, until } = await store.tasks.explain(task.id);
  if (cause !== 'provider_parked' || until === null) return null;
  return `${text} Nothing moves before ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
}

async function othersCould(ctx: WorkerContext): Promise<boolean> {
  return (await ctx.store.workers.list()).some(
    ({ id, status, runId, silentMs }) =>
      id !== ctx.worker.id &&
      status === 'online' &&
      (runId === null || runId === ctx.runId) &&
      silentMs < longestSilenceMs,
  );
}

async function* openTasks(ctx: WorkerContext, runId: string): AsyncGenerator<Task> {
  for (let cursor: string | null = null; ;) {
    const page = await ctx.store.tasks.list({
      ...{ runId, settled: false, limit: 500 },
      ...(cursor === null ? {} : { cursor }),
    });
    yield* page.items;
    cursor = page.nextCursor;
    if (cursor === null) return;
  }
}
