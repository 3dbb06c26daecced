import { BatonError, type Git } from '@baton/contracts';
import { isDirty } from '../land/checkout.ts';
import { forwardCheckout, refuseHidden } from '../land/forward-checkout.ts';
import { refuseOverwriting } from '../land/refuse-overwriting.ts';
import { localRef } from '../land/target-place.ts';
import { refuseInUse } from '../land/target-use.ts';
import { branchRef } from '../ref-name.ts';
import { mergeArguments, readMerge } from '../read-merge.ts';
import { gitLine, gitSays } from '../run-git.ts';

/** Which run is taken into which branch. */
export interface MergeRunOptions {
  git: Git;
  /** The user's checkout. */
  repo: string;
  /** The run's target, e.g. `baton/tidy`. */
  target: string;
  /** The branch that must be checked out there, e.g. `main`. */
  into: string;
  /** Who merges; default: the repository's own `user.name` and `user.email`, else whom the git port names. */
  identity?: { name: string; email: string };
  /** True: nothing is changed, the outcome says what would happen. */
  dryRun?: boolean;
}

/** How the merge ended. The checkout was touched only by `fast_forward` and `merged`. */
export type MergeRunOutcome =
  | { kind: 'fast_forward' | 'merged'; commit: string }
  | { kind: 'would_fast_forward' | 'would_merge' }
  | { kind: 'up_to_date' }
  | { kind: 'conflict'; files: string[] }
  | { kind: 'dirty' }
  | { kind: 'not_checked_out'; current: string | null };

/**
 * Takes a run's work into the user's current branch, by fast-forward where that is possible, else by a merge commit in the user's name.
 * The one command that touches the checkout, at the user's word; a merge that would conflict is not begun, and one that is begun comes to
 * its end even when the process that asked for it is killed: otherwise the checkout would stay half merged.
 * @throws REF_INVALID, GIT_FAILED, REPO_DIRTY when the merge would overwrite a file that git does not track or a change that a flag hides, TARGET_IN_USE when another merge,
 * a rebase or the like is not finished
 */
export async function mergeRun(options: MergeRunOptions): Promise<MergeRunOutcome> {
  const { git, repo: cwd, target, into } = options;
  const head = await localRef(git, { repo: cwd, ref: branchRef(target) });
  if (head === null) {
    throw new BatonError('REF_INVALID', `The branch ${target} does not exist.`, {
      at: 'target',
      fix: 'Name a run whose work was not cleaned away.',
    });
  }
  // The short name that git gives is another one where a tag has the same: `heads/main`.
  const named = (await git(['symbolic-ref', '--quiet', 'HEAD'], { cwd })).stdout.trim();
  const current = named.replace(/^refs\/heads\//, '');
  if (current !== into) return { kind: 'not_checked_out', current: current === '' ? null : current };
  const before = await gitLine(git, ['rev-parse', 'HEAD'], { cwd });
  if (await gitSays(git, ['merge-base', '--is-ancestor', head, before], { cwd }))
    return { kind: 'up_to_date' };
  await refuseInUse(git, { repo: cwd, target: into });
  if (await isDirty(git, cwd)) return { kind: 'dirty' };

  const move = { worktree: cwd, branch: into, from: before, act: 'merge' };
  if (await gitSays(git, ['merge-base', '--is-ancestor', before, head], { cwd })) {
    await refuseOverwriting(git, { ...move, to: head });
    if (options.dryRun === true) {
      await refuseHidden(git, { ...move, to: head });
      return { kind: 'would_fast_forward' };
    }
    await forwardCheckout(git, { ...move, to: head });
    return { kind: 'fast_forward', commit: head };
  }
  const tried = await tryMerge(options, { before, head });
  if (!tried.isClean) return { kind: 'conflict', files: tried.files };
  await refuseOverwriting(git, { ...move, to: tried.tree });
  if (options.dryRun === true) {
    await refuseHidden(git, { ...move, to: tried.tree });
    return { kind: 'would_merge' };
  }
  // Made of the very tree that was tried: strategies and drivers of the user's have no say in what is taken.
  const message = `Merge branch '${target}' into ${into}`;
  const args = ['commit-tree', tried.tree, '-p', before, '-p', head, '-m', message];
  const commit = await gitLine(git, args, { cwd, env: await userIdentity(options) });
  await forwardCheckout(git, { ...move, to: commit });
  return { kind: 'merged', commit };
}

/** The tree that a merge would give, and the files that would conflict. */
async function tryMerge(
  options: MergeRunOptions,
  sides: { before: string; head: string },
): Promise<ReturnType<typeof readMerge>> {
  const args = mergeArguments(sides.before, sides.head);
  return readMerge(args, await options.git(args, { cwd: options.repo }));
}

/** The merge is the user's act, not Baton's. */
async function userIdentity({ git, repo, identity }: MergeRunOptions): Promise<Record<string, string>> {
  const read = async (key: string): Promise<string> =>
    (await git(['config', '--get', key], { cwd: repo })).stdout.trim();
  const name = identity?.name ?? (await read('user.name'));
  const email = identity?.email ?? (await read('user.email'));
  if (name === '' || email === '') return {};
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
