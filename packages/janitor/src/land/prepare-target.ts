import { BatonError, shellWord, type Git } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { gitLine, resolve } from '../run-git.ts';
import { checkedOutAt, isDirty } from './checkout.ts';
import { moveRefs } from './move-refs.ts';
import { refuseInUse } from './target-use.ts';
import { haveObject, isRemote, objectsOf, readRefs, type TargetPlace } from './target-place.ts';

/**
 * Makes a target ready before a run: an integration branch `baton/…` is made at `startPoint` when it is missing; any other target must
 * exist. A target that is checked out with uncommitted changes, or in use by an unfinished rebase or the like, is refused at the start
 * (docs/spec/landing.md#checked-out-targets).
 * @returns the target's head and whether it was made
 * @throws REF_INVALID, REPO_DIRTY, TARGET_IN_USE, GIT_FAILED
 */
export async function prepareTarget(
  options: TargetPlace & { target: string; startPoint: string },
): Promise<{ head: string; created: boolean }> {
  const ref = branchRef(options.target);
  const found = await targetHead(options);
  if (found !== null) {
    if (!isRemote(options.repo)) {
      await refuseInUse(options.git, options);
      await refuseDirty(options.git, options);
    }
    return { head: found, created: false };
  }
  if (!options.target.startsWith('baton/')) {
    throw new BatonError('REF_INVALID', `The target branch "${options.target}" does not exist.`, {
      at: 'target',
      fix: `Create it with \`${making(options)}\`, or leave \`target\` out: work then lands on baton/<run>.`,
    });
  }
  const start = await resolve(options.git, `${options.startPoint}^{commit}`, { cwd: objectsOf(options) });
  if (start === null) {
    throw new BatonError('REF_INVALID', `"${options.startPoint}" names no commit.`, {
      fix: 'Give a branch, tag or commit id to start from.',
    });
  }
  const failure = await moveRefs(options, [{ ref, from: null, to: start }]);
  if (failure === null) return { head: start, created: true };
  const head = await targetHead(options);
  if (head === null) throw failure;
  return { head, created: false };
}

/** The command that makes a target: where it is, from anywhere. */
function making({ repo, target }: { repo: string; target: string }): string {
  if (!isRemote(repo)) return `git -C ${shellWord(repo)} branch ${shellWord(target)}`;
  return `git push ${shellWord(repo)} ${shellWord(`HEAD:refs/heads/${target}`)}`;
}

/** The target's head, readable in `repo`, or null when the branch does not exist. @throws REF_INVALID, GIT_FAILED */
export async function targetHead(options: TargetPlace & { target: string }): Promise<string | null> {
  const ref = branchRef(options.target);
  const [id = null] = await readRefs(options, [ref]);
  if (id === null) return null;
  await haveObject(options, { ref, id });
  return gitLine(options.git, ['rev-parse', '--verify', `${id}^{commit}`], { cwd: objectsOf(options) });
}

/**
 * Refuses a target of this machine that any worktree has checked out with uncommitted changes.
 * @throws REPO_DIRTY, GIT_FAILED
 */
export async function refuseDirty(git: Git, options: { repo: string; target: string }): Promise<void> {
  const worktree = await checkedOutAt(git, options);
  if (worktree === null || !(await isDirty(git, worktree))) return;
  throw new BatonError(
    'REPO_DIRTY',
    `The target branch "${options.target}" is checked out in ${worktree} with uncommitted changes.`,
    {
      at: worktree,
      fix: 'Commit or stash them, check out another branch, or leave `target` out so that work lands on baton/<run>.',
    },
  );
}
