import type { ClaimedTask, Task } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { OpenBatch } from './open-batch.ts';
import { standingTarget } from './standing-target.ts';

/** Where a task of a batch starts, or why it is not begun in this batch. */
export type MemberStart = { head: string } | { waits: string };

const lookMs = 200;
/** How long an agent is kept idle until the work that the next task builds on has landed. */
const mostWaitMs = 60_000;

/**
 * The head that a task of a batch starts on. The first one has the head that the worktree was opened on; each further
 * one the target's head at that time, so that it never lies on work that is refused later. What builds on earlier
 * tasks of its batch is begun once these have landed, and is left for another claim where that does not come about:
 * nothing is paid for on a base that is rejected.
 */
export async function memberStart(
  ctx: WorkerContext,
  batch: OpenBatch,
  { claimed, earlier }: { claimed: ClaimedTask; earlier: readonly ClaimedTask[] },
): Promise<MemberStart> {
  if (earlier.length === 0) return { head: batch.freshHead };
  const below = earlier.filter((before) => buildsOn(claimed, before)).map(({ task }) => task);
  const open = await firstNotLanded(ctx, batch, below);
  if (open !== null) return { waits: open };
  const { run, repo } = batch.claim;
  const target = await standingTarget(ctx, { run, repo, clone: batch.repo.clone, tasks: [claimed.task] });
  return target.ok ? { head: target.head } : { waits: target.text };
}

/** Whether a task needs the work of another one of its batch: it depends on it, or owns paths that it owns, too. */
export function buildsOn(
  { task, predecessors }: Pick<ClaimedTask, 'predecessors'> & { task: Pick<Task, 'files'> },
  { task: before }: { task: Pick<Task, 'key' | 'files'> },
): boolean {
  if (predecessors.some(({ key }) => key === before.key)) return true;
  return task.files.some((one) => before.files.some((other) => isWithin(one, other) || isWithin(other, one)));
}

function isWithin(inner: string, outer: string): boolean {
  const prefix = outer.replace(/\/+$/, '');
  return prefix === '' || inner.replace(/\/+$/, '') === prefix || inner.startsWith(`${prefix}/`);
}

/** Waits as long as one of these is being verified. Null: all have landed. */
async function firstNotLanded(
  ctx: WorkerContext,
  batch: OpenBatch,
  below: readonly Task[],
): Promise<string | null> {
  const endMs = ctx.clock.monotonicMs() + mostWaitMs;
  for (const { id, key } of below) {
    for (;;) {
      const now = await ctx.store.tasks.get(id);
      if (now?.status === 'CLOSED') break;
      if (now?.status !== 'DONE') return `${key}, which it builds on, has not landed`;
      if (ctx.draining() || batch.live.stopped !== null || ctx.clock.monotonicMs() >= endMs)
        return `${key}, which it builds on, is still being verified`;
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }
  return null;
}
