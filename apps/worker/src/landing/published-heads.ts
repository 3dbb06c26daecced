import { dropPublished, publishedHeads } from '@baton/spawner';
import type { Repo } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { HeldLane } from './land-chain.ts';

/** More tasks than this are not looked up at once. */
const maxTasks = 200;

/** Heads of attempts are needed at the repository no longer than until their task has landed. */
export async function dropHeads(ctx: WorkerContext, held: HeldLane): Promise<void> {
  await drop(ctx, held.repo, [...held.landedTasks]);
}

/** What a process left at a remote that ended between a landing and this. */
export async function dropClosedHeads(ctx: WorkerContext, repo: Repo): Promise<void> {
  if (repo.host !== null) return;
  try {
    const clone = await ctx.repos.clone(repo);
    const ids = [...new Set((await publishedHeads(clone, repo.location)).map(({ taskId }) => taskId))];
    const closed: string[] = [];
    for (const id of ids.slice(0, maxTasks)) {
      if ((await ctx.store.tasks.get(id))?.status === 'CLOSED') closed.push(id);
    }
    await drop(ctx, repo, closed);
  } catch (cause) {
    ctx.log.warn('heads of landed work stay at the repository for now', { cause: String(cause) });
  }
}

async function drop(ctx: WorkerContext, repo: Repo, taskIds: readonly string[]): Promise<void> {
  if (taskIds.length === 0) return;
  try {
    await dropPublished(await ctx.repos.clone(repo), { location: repo.location, taskIds });
  } catch (cause) {
    ctx.log.warn('heads of landed work stay at the repository for now', { cause: String(cause) });
  }
}
