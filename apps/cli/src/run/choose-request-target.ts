import { BatonError, isBranchName, shellText } from '@baton/contracts';
import { fetchBranch, forgeOf, remoteHead, remoteOf } from '@baton/janitor';

import type { Call } from '../terminal/call.ts';
import { count } from '../terminal/format.ts';
import type { Project } from '../project/project.ts';
import { userPlace } from '../project/user-place.ts';
import { refuseBranchAbove, unseenText, type Target } from './choose-target.ts';

const withoutRequests = 'With --no-pull-requests the work lands on a branch of its own.';

/** A target with the branch of the remote that it follows. */
export type RequestTarget = Target & Required<Pick<Target, 'requests'>>;

/** What is known of where pull requests go before the remote is asked. */
interface RequestPlace {
  /** Branch of the remote that they go into. */
  into: string;
  /** Local branch of the run that follows it. */
  target: string;
  remote: Awaited<ReturnType<typeof remoteOf>>;
}

/**
 * Chooses the branch that pull requests go into by what the checkout holds alone.
 * @param options.wanted branch named by the user; the one that is checked out when absent
 * @throws REF_INVALID, NOT_FOUND without a remote
 */
export async function requestPlace(
  call: Call,
  project: Project,
  { wanted, slug }: { wanted: string | undefined; slug: string },
): Promise<RequestPlace> {
  const into = (wanted ?? project.branch ?? '').replace(/^refs\/heads\//, '');
  if (into === '')
    throw new BatonError('REF_INVALID', 'No branch is checked out that pull requests could go into.', {
      fix: 'Name one of the remote with --target BRANCH, or as `target` in the plan.',
    });
  if (!isBranchName(into))
    throw new BatonError('REF_INVALID', `"${into}" cannot be the name of a branch.`, {
      fix: 'Name a branch of the remote with --target BRANCH.',
    });
  const target = `baton/${slug}-upstream`;
  await refuseBranchAbove(project, target);
  const remote = await remoteOf(userPlace(call, project), into, { otherwise: withoutRequests });
  return { into, target, remote };
}

/**
 * Chooses the branch of the remote that pull requests go into, and looks whether they can be opened at all. The run's own target is a
 * local branch that follows it.
 * @param options.wanted branch named by the user; the one that is checked out when absent
 * @throws REF_INVALID, NOT_FOUND without a remote, GIT_FAILED, FORGE_UNAVAILABLE
 */
export async function chooseRequestTarget(
  call: Call,
  project: Project,
  wish: { wanted: string | undefined; slug: string },
): Promise<RequestTarget> {
  const { into, target, remote } = await requestPlace(call, project, wish);
  const place = userPlace(call, project);
  await requireLogin(forgeOf(place, remote.url));
  const baseCommit = await remoteHead(place, { remote: remote.name, branch: into });
  if (baseCommit === null) throw await notPushed(project, { into, remote: remote.name });
  await fetchBranch(place, { remote: remote.name, branch: into });
  const warning = [unseenText(project.dirtyFiles), await aheadText(project, { into, remote, baseCommit })]
    .filter((text) => text !== undefined)
    .join(' ');
  return {
    ...{ target, baseCommit, isCheckedOut: false },
    requests: { into, remote: remote.name },
    warning: warning === '' ? undefined : warning,
  };
}

/** The branch may be here and not there yet, or in neither place. */
async function notPushed(
  { git, root }: Project,
  { into, remote }: { into: string; remote: string },
): Promise<BatonError> {
  const here = await git(['show-ref', '--verify', '--quiet', `refs/heads/${into}`], { cwd: root });
  const what = here.exitCode === 0 ? into : `HEAD:refs/heads/${into}`;
  return new BatonError('REF_INVALID', `${remote} has no branch ${into}.`, {
    fix: `Push it (\`git push ${shellText([remote, what])}\`), or name another one with --target BRANCH.`,
  });
}

/** @throws FORGE_UNAVAILABLE with the command that logs in */
async function requireLogin(forge: ReturnType<typeof forgeOf>): Promise<void> {
  const login = await forge.check();
  if (login.ok) return;
  const [what = '', fix] = login.text.split('\n');
  throw new BatonError('FORGE_UNAVAILABLE', `No ${forge.noun} can be opened: ${what}`, {
    at: forge.program,
    fix: `${fix ?? 'Look at what it says.'} Then start again. ${withoutRequests}`,
  });
}

/** Commits of the checkout that the remote does not have. */
async function aheadText(
  project: Project,
  { into, remote, baseCommit }: { into: string; remote: { name: string }; baseCommit: string },
): Promise<string | undefined> {
  const args = ['rev-list', '--count', `${baseCommit}..${project.headCommit}`];
  const ahead = await project.git(args, { cwd: project.root });
  const commits = Number(ahead.stdout.trim());
  if (ahead.exitCode !== 0 || commits === 0) return undefined;
  return `${count(commits, 'commit')} of your checkout ${commits === 1 ? 'is' : 'are'} not in ${into} of ${remote.name}: agents do not see ${commits === 1 ? 'it' : 'them'}.`;
}
