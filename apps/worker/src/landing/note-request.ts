import type { LandingWork, RequestNote } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { HeldLane } from './land-chain.ts';
import type { RequestPlace } from './request-place.ts';

/** Finished work with its pull request. */
export interface Requested {
  held: HeldLane;
  work: LandingWork;
  repo: RepoAccess;
  place: RequestPlace;
  /** Head of the target, which is that of the remote. */
  head: string;
  /** Of the request at its host. */
  number: number;
}

/** Writes down what a look came to. False: somebody else holds the attempt. */
export async function noteOn(
  ctx: WorkerContext,
  { work, place }: Pick<Requested, 'work' | 'place'>,
  given: Partial<RequestNote>,
): Promise<boolean> {
  const { id: attemptId, fence } = work.attempt;
  const usual = { state: 'open', trouble: null, gives: false } as const;
  const lookInMs = given.gives === true ? ctx.timing.requestMs : 0;
  const note = { ...usual, branch: place.branch, lookInMs, ...given };
  return (await ctx.store.pullRequests.note({ attemptId, fence }, note)) !== null;
}
