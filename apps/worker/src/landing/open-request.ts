import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { publishCandidate, pushOver, type HostedRequest, type RequestDraft } from '@baton/janitor';
import type { LandingWork, PullRequest } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { HeldLane, Verified } from './land-chain.ts';
import type { LandingOutcome } from './land-task.ts';
import { answerOf, atHost, unavailable, type RequestPlace } from './request-place.ts';
import { requestText } from './request-text.ts';

/**
 * Pushes verified work to the branch of its task and sees to it that there is one pull request of it. What is about to be pushed is
 * written down first, and a request is looked for before one is opened: a process that is killed in between leaves nothing twice.
 * @throws FORGE_UNAVAILABLE, GIT_FAILED
 */
export async function openRequest(
  ctx: WorkerContext,
  {
    held,
    repo,
    place,
    verified,
  }: { held: HeldLane; repo: RepoAccess; place: RequestPlace; verified: Verified },
): Promise<LandingOutcome> {
  const { work, candidate } = verified;
  const { branch, user, remote } = place;
  const { attempt } = work;
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const { commit, onto } = candidate;
  const noted = await ctx.store.pullRequests.note(holding, {
    ...{ branch, state: 'opening', commit: { id: commit, onto }, trouble: null, lookInMs: 0, gives: false },
  });
  if (noted === null) return 'lost';
  const ref = await publishCandidate({
    ...{ git: ctx.git, clone: repo.clone.path, repo: work.repo.location },
    ...{ commit, landingId: attempt.id },
  });
  if (ref !== null) held.settledRefs.add(ref);
  const mine = [...work.pushed, ...noted.commits];
  await atHost(pushOver(user, { remote: remote.name, branch, commit, mine }));
  const request = await requestOf(ctx, { place, verified, noted });
  const told = await ctx.store.pullRequests.note(holding, {
    ...{ branch, state: 'open', number: request.number, url: request.url, trouble: null, gives: true },
    lookInMs: request.state === 'open' ? ctx.timing.requestMs : 0,
  });
  if (told === null) return 'lost';
  ctx.log.info('finished work waits to be merged', { task: work.task.key, url: request.url });
  return 'requested';
}

/**
 * Number of the request that an attempt has; null: it has none. One that was opened by a process that ended before it could write the
 * number down is found by its branch: somebody may have merged it since. @throws FORGE_UNAVAILABLE
 */
export async function requestNumber({
  work: { request, pastRequests },
  place: { forge, branch },
}: {
  work: LandingWork;
  place: RequestPlace;
}): Promise<number | null> {
  if (request === null || request.number !== null) return request?.number ?? null;
  const { commits } = request;
  if (commits.length === 0) return null;
  const found = await answerOf(forge.find(branch));
  return found.find((each) => isOfAttempt(each, { commits, past: pastRequests }))?.number ?? null;
}

/** The request that the branch has, however it came to be, or a new one. */
async function requestOf(
  ctx: WorkerContext,
  { place, verified, noted }: { place: RequestPlace; verified: Verified; noted: PullRequest },
): Promise<Pick<HostedRequest, 'number' | 'url' | 'state'>> {
  const { forge, branch } = place;
  const own = { commits: noted.commits, past: verified.work.pastRequests };
  const known = ofAttempt(await answerOf(forge.find(branch)), own);
  if (known !== undefined) return known;
  const draft = await draftOf(ctx, { place, verified });
  const { url } = await answerOf(forge.open(draft));
  const opened = ofAttempt(await answerOf(forge.find(branch)), own);
  if (opened !== undefined) return opened;
  // A host may list a request a moment after it opened it.
  const number = Number(/\/(\d+)\/?$/.exec(url ?? '')?.[1]);
  if (url !== null && Number.isInteger(number)) return { number, url, state: 'open' };
  throw unavailable(`${forge.program} opened a ${forge.noun} of ${branch}, and does not list it yet`);
}

interface Own {
  /** What was to be pushed for the attempt. */
  commits: readonly string[];
  /** Numbers of requests that were dealt with for earlier ones. */
  past: readonly number[];
}

/** One that is open, or one that somebody dealt with before it was known here. */
function ofAttempt(found: readonly HostedRequest[], own: Own): HostedRequest | undefined {
  return found.find(({ state }) => state === 'open') ?? found.find((each) => isOfAttempt(each, own));
}

/** Its commit is one of the attempt; a host may show the newest commit of the branch for one of an earlier attempt, too. */
function isOfAttempt({ number, headCommit }: HostedRequest, { commits, past }: Own): boolean {
  return headCommit !== null && commits.includes(headCommit) && !past.includes(number);
}

async function draftOf(
  ctx: WorkerContext,
  { place, verified }: { place: RequestPlace; verified: Verified },
): Promise<RequestDraft> {
  const { work } = verified;
  const verdicts = await ctx.store.tasks.verdicts(work.task.id);
  const verdict = verdicts.find(({ id }) => id === verified.verdictId) ?? null;
  const text = requestText(work, verdict);
  const bodyFile = path.join(ctx.stateDir, 'pull-requests', `${work.attempt.id}.md`);
  await mkdir(path.dirname(bodyFile), { recursive: true });
  await writeFile(bodyFile, text.body);
  return { base: place.into, head: place.branch, ...text, bodyFile };
}
