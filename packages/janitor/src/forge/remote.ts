import { setTimeout as delay } from 'node:timers/promises';
import { BatonError } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { quietFetch } from '../land/target-place.ts';
import { lastWords } from './ask-program.ts';
import { asUser, type UserPlace } from './as-user.ts';
import { pushFix } from './refused-push.ts';

const mostFetches = 5;

/** A remote of the user's repository. */
export interface Remote {
  name: string;
  /** Where it is pushed to. */
  url: string;
}

/**
 * The remote of the branch that work goes into, else `origin`, else the only one.
 * @param options.otherwise What can be done without a remote, as a sentence.
 * @throws NOT_FOUND
 */
export async function remoteOf(
  place: UserPlace,
  base: string,
  { otherwise }: { otherwise?: string } = {},
): Promise<Remote> {
  const ask = async (...args: string[]): Promise<string> =>
    (await asUser(place, ['git', ...args])).stdout.trim();
  const names = (await ask('remote')).split('\n').filter((name) => name !== '');
  const own = await ask('config', '--get', `branch.${base}.remote`);
  const name = [own, 'origin', ...(names.length === 1 ? names : [])].find((each) => names.includes(each));
  if (name === undefined)
    throw new BatonError('NOT_FOUND', 'The repository has no remote to push to.', {
      fix: `Add one: \`git remote add origin URL\`.${otherwise === undefined ? '' : ` ${otherwise}`}`,
    });
  return { name, url: await ask('remote', 'get-url', '--push', name) };
}

/** The head of a branch at a remote; null: it has none of this name. @throws GIT_FAILED */
export async function remoteHead(
  place: UserPlace,
  { remote, branch }: { remote: string; branch: string },
): Promise<string | null> {
  const ref = branchRef(branch);
  const run = await asUser(place, ['git', 'ls-remote', '--', remote, ref]);
  if (!run.ok) throw unanswered(`git ls-remote ${remote}`, { said: run.stderr, remote });
  return (
    run.stdout
      .split('\n')
      .find((line) => line.endsWith(`\t${ref}`))
      ?.split('\t')[0] ?? null
  );
}

/** Brings a branch of a remote, with all that leads to it, into the user's repository. @throws GIT_FAILED */
export async function fetchBranch(
  place: UserPlace,
  { remote, branch }: { remote: string; branch: string },
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const run = await asUser(place, ['git', 'fetch', ...quietFetch, '--', remote, branchRef(branch)]);
    if (run.ok) return;
    // The user and each worker fetch into the same checkout; of two that meet at the lock of a ref, one goes again.
    const isLocked = /cannot lock ref|unable to (create|update)|shallow file has changed/i.test(run.stderr);
    if (!isLocked || tried === mostFetches)
      throw unanswered(`git fetch ${remote}`, { said: run.stderr, remote });
    await delay(100 * tried);
  }
}

/**
 * Pushes a commit of the user's repository to a branch, over nothing but what Baton itself had pushed there. Hooks do not run: what is
 * pushed is verified.
 * @param options.mine commits that may be replaced
 * @throws GIT_FAILED · CONFLICT when the branch holds what somebody else pushed
 */
export async function pushOver(
  place: UserPlace,
  options: { remote: string; branch: string; commit: string; mine: readonly string[] },
): Promise<void> {
  const { remote, branch, commit, mine } = options;
  const before = await remoteHead(place, { remote, branch });
  if (before === commit) return;
  if (before !== null && !mine.includes(before))
    throw new BatonError(
      'CONFLICT',
      `The branch ${branch} of ${remote} holds ${before.slice(0, 9)}, which Baton did not push.`,
      {
        at: branch,
        fix: `Merge or close its request, or delete it: \`git push ${remote} --delete ${branch}\`.`,
      },
    );
  const ref = branchRef(branch);
  const run = await asUser(place, [
    ...(['git', 'push', '--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'] as const),
    ...[`--force-with-lease=${ref}:${before ?? ''}`, '--', remote, `${commit}:${ref}`],
  ]);
  if (!run.ok) throw unanswered(`git push ${remote}`, { said: run.stderr, remote });
}

function unanswered(command: string, { said, remote }: { said: string; remote: string }): BatonError {
  return new BatonError('GIT_FAILED', `${command} failed: ${lastWords(said)}`, {
    at: remote,
    fix: pushFix(said, { remote, push: command, other: `\`${command}\` must work in a terminal.` }),
  });
}
