import { BatonError } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { followRemote } from './follow-remote.ts';
import type { HeldLane } from './land-chain.ts';
import { landTask, type LandingOutcome } from './land-task.ts';
import { lookAtRequest } from './look-at-request.ts';
import { openRequest, requestNumber } from './open-request.ts';
import { requestBranch, requestPlace } from './request-place.ts';

/** A host that gives no answer is asked at growing distances, at most this many times the usual one. */
const longest = 20;
const afterRateLimit = 10;

/**
 * Verifies work and makes a pull request of it, or looks at the one that it has (docs/spec/landing.md#pull-requests). Whatever keeps
 * its host from being asked decides nothing: the work waits with the reason.
 * @throws BASE_RED when the gates that refuse the work refuse the target without it, too
 */
export async function landByRequest(
  ctx: WorkerContext,
  { held, work, into }: { held: HeldLane; work: LandingWork; into: string },
): Promise<LandingOutcome> {
  try {
    const repo = await ctx.repos.open(work.run, work.repo);
    const place = await requestPlace(ctx, { work, into });
    const number = await requestNumber({ work, place });
    for (;;) {
      const followed = await followRemote(ctx, { held, work, repo, place });
      if (followed.kind !== 'follows') return followed.kind;
      if (number === null) break;
      const { head } = followed;
      const seen = await lookAtRequest(ctx, { held, work, repo, place, head, number });
      if (seen === 'again') break;
      if (seen !== 'behind') return seen;
    }
    return await landTask(ctx, {
      ...{ held, work },
      land: (verified) => openRequest(ctx, { held, repo, place, verified }),
    });
  } catch (cause) {
    if (!BatonError.is(cause, 'FORGE_UNAVAILABLE')) throw cause;
    return noteTrouble(ctx, { work, cause });
  }
}

/** The work waits, and is looked at later; each new reason is logged once. */
async function noteTrouble(
  ctx: WorkerContext,
  { work, cause }: { work: LandingWork; cause: BatonError },
): Promise<LandingOutcome> {
  const { request, attempt, task } = work;
  const trouble = [cause.message, ...(cause.fix === undefined ? [] : [cause.fix])].join('\n');
  if (request?.trouble !== trouble)
    ctx.log.warn('the host of a pull request cannot be asked; it is tried again', {
      task: task.key,
      why: cause.message,
    });
  const usual = 2 ** Math.min(request?.troubles ?? 0, 10);
  const times = Math.min(longest, cause.details['isRateLimit'] === true ? usual * afterRateLimit : usual);
  const noted = await ctx.store.pullRequests.note(
    { attemptId: attempt.id, fence: attempt.fence },
    {
      ...{ branch: requestBranch(work), state: request?.state ?? 'opening', trouble, gives: true },
      lookInMs: ctx.timing.requestMs * times,
    },
  );
  return noted === null ? 'lost' : 'requested';
}
