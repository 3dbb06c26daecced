import type { LandingWork } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { shortList } from '../verify/short-list.ts';

/** Work after some of it was cancelled, or got another holder, while it was verified. */
export interface Parted {
  gone: LandingWork[];
  stays: LandingWork[];
}

/** Which of these works may not land any more, by what the store says now. */
export async function whoLeft(ctx: WorkerContext, works: readonly LandingWork[]): Promise<Parted> {
  const parted: Parted = { gone: [], stays: [] };
  for (const work of works) {
    const attempts = await ctx.store.tasks.attempts(work.task.id);
    const held = attempts.find(({ id }) => id === work.attempt.id);
    const isHeld = held !== undefined && held.endedAt === null && held.fence === work.attempt.fence;
    const task = isHeld ? await ctx.store.tasks.get(work.task.id) : null;
    const isOurs = task !== null && task.status === 'DONE' && !task.cancelRequested;
    (isOurs ? parted.stays : parted.gone).push(work);
  }
  return parted;
}

/** Writes into the histories why a verification came to nothing, and what is verified again. */
export async function noteLeft(ctx: WorkerContext, { gone, stays }: Parted): Promise<void> {
  const actor = actorOf(ctx);
  const note = (work: LandingWork, reason: string) =>
    ctx.store.lanes.noteUnlanded(work.task.id, { actor, reason });
  const others = shortList(gone.map(({ task }) => task.key));
  ctx.log.info('work was cancelled while it was verified', { tasks: others });
  for (const work of gone)
    await note(work, 'it was cancelled, or taken over, while it was verified: it does not land');
  for (const work of stays)
    await note(
      work,
      `verified again without ${others}, which was cancelled or taken over while they were verified together`,
    );
}
