import { printable } from '@baton/contracts';
import { isLanded, redact, remoteHead, type HostedRequest } from '@baton/janitor';
import type { RequestNote } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { candidateOn } from './candidate-of.ts';
import { closeMerged } from './close-merged.ts';
import { reject, type LandingOutcome } from './land-task.ts';
import { noteOn, type Requested } from './note-request.ts';
import { answerOf, atHost, unavailable, type RequestPlace } from './request-place.ts';

const longestWords = 2_000;

/**
 * Looks at the pull request of finished work: merged, it is judged and closed; closed, it is refused; open, it waits. `again`: it
 * conflicts with what landed since, and is to be made again · `behind`: it was merged after the target was brought up to the remote.
 * @throws FORGE_UNAVAILABLE, GIT_FAILED
 */
export async function lookAtRequest(
  ctx: WorkerContext,
  asked: Requested,
): Promise<LandingOutcome | 'again' | 'behind'> {
  const { work, place } = asked;
  const seen = (await answerOf(place.forge.look(asked.number))) ?? (await another(asked));
  const { number, url } = seen;
  const note = (given: Partial<RequestNote>) => noteOn(ctx, asked, { number, url, ...given });
  switch (seen.state) {
    case 'open':
      refuseElsewhere(seen, place);
      if (await mustBeMadeAgain(ctx, { ...asked, seen })) return 'again';
      return (await note({ state: 'open', gives: true })) ? 'requested' : 'lost';
    case 'closed':
      if (!(await note({ state: 'closed' }))) return 'lost';
      return reject(ctx, work, refusal(ctx, seen));
    case 'merged': {
      const commit = await mergedAs(ctx, { ...asked, seen });
      if (commit === null) return 'behind';
      if (!(await note({ state: 'merged', mergeCommit: commit }))) return 'lost';
      return closeMerged(ctx, { ...asked, seen, commit });
    }
    default:
      return seen.state satisfies never;
  }
}

/** One that was deleted may have been opened again by hand. @throws FORGE_UNAVAILABLE */
async function another({ place, number }: Requested): Promise<HostedRequest> {
  const { forge, branch, into } = place;
  const found = (await answerOf(forge.find(branch))).find(({ state }) => state === 'open');
  if (found !== undefined) return found;
  const draft = { base: into, head: branch, title: branch, body: branch, bodyFile: '/dev/null' };
  throw unavailable(`${forge.noun} ${number} is gone`, {
    fix: `Open another one of the branch: \`${forge.typed(draft)}\`.`,
  });
}

/** What goes into another branch is not for this run. @throws FORGE_UNAVAILABLE */
function refuseElsewhere({ number, base, url }: HostedRequest, { into, forge }: RequestPlace): void {
  if (base === into) return;
  throw unavailable(`${url} goes into ${base}, and the run lands on ${into}`, {
    fix: `Let it go into ${into} again: \`${forge.retarget({ number, base: into })}\`.`,
  });
}

/** Work of people on the branch is theirs to bring together with the target. */
async function mustBeMadeAgain(
  ctx: WorkerContext,
  { work, repo, head, seen }: Requested & { seen: HostedRequest },
): Promise<boolean> {
  if (work.request?.onto === head) return false;
  if (seen.headCommit !== null && !work.pushed.includes(seen.headCommit)) return false;
  return seen.isConflicting || (await candidateOn(ctx, { work, repo, onto: head })).kind === 'conflict';
}

/** The commit on the target that holds what was merged; null: the remote has moved since. @throws FORGE_UNAVAILABLE */
async function mergedAs(
  ctx: WorkerContext,
  { work, repo, place, head, seen }: Requested & { seen: HostedRequest },
): Promise<string | null> {
  const { url, mergeCommit: commit, base } = seen;
  if (commit === null) throw unavailable(`${url} was merged, and its host does not name the commit yet`);
  const { location } = work.repo;
  const isThere = await isLanded({
    ...{ git: ctx.git, repo: location, clone: repo.clone.path, target: work.run.target },
    commit,
  });
  if (isThere) return commit;
  const { into, remote, user } = place;
  if ((await atHost(remoteHead(user, { remote: remote.name, branch: into }))) !== head) return null;
  throw unavailable(
    `${url} was merged into ${base} as ${commit.slice(0, 9)}, and ${into} of ${remote.name} does not hold that`,
    { fix: `Merge it into ${into} as well.` },
  );
}

/** What the next attempt gets to read; without a word there is none. */
function refusal(
  { operatorEnv }: Pick<WorkerContext, 'operatorEnv'>,
  { url, words }: HostedRequest,
): Parameters<typeof reject>[2] {
  const what = `A person closed ${url} without merging it`;
  if (words === null)
    return {
      ...{ kind: 'rejected', reasons: [`${what}, and said nothing.`] },
      denied: 'its pull request was closed without a word',
    };
  const env = Object.fromEntries(
    Object.entries(operatorEnv).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const text = redact(printable(words.text), { env }).trim();
  const cut = text.length > longestWords ? `${text.slice(0, longestWords)}…` : text;
  const lines = cut.split('\n').map((line) => `> ${line}`);
  return { kind: 'rejected', reasons: [`${what}. ${printable(words.by)} wrote there:\n${lines.join('\n')}`] };
}
