import { BatonError } from '@baton/contracts';
import type { Run } from '@baton/task-store';
import { actorOf, type WorkerContext } from '../context/context.ts';

/**
 * Lets nothing more of a run begin, with the reason, until a person has put it right and resumes it: no try is counted. The standing
 * run of a trigger rule fails instead, since its next delivery looks again by itself.
 *
 * @param options.reason `CODE: text`, as the command line prints it
 */
export async function holdRun(
  ctx: Pick<WorkerContext, 'store' | 'worker'>,
  { run, reason }: { run: Pick<Run, 'id' | 'createdBy'>; reason: string },
): Promise<void> {
  const by = { actor: actorOf(ctx), reason };
  if (run.createdBy.startsWith('trigger:')) {
    await ctx.store.runs.fail(run.id, by);
    return;
  }
  try {
    await ctx.store.runs.pause(run.id, by);
  } catch (cause) {
    if (!BatonError.is(cause, 'CONFLICT')) throw cause; // it has ended: nothing is left to hold
  }
}
