import { BatonError, type Git } from '@baton/contracts';
import { fixedMergeOptions, fixedMergeSettings, mergeVariables } from '../merge-options.ts';
import { gitFailed } from '../run-git.ts';
import { hiddenChanges, hiddenText } from './hidden-changes.ts';
import { repairCheckout, type RepairOptions } from './repair-checkout.ts';

/**
 * Fast-forwards a branch in the worktree that has it checked out, to its end even when the process that asked is killed. Where git
 * fails half-way, e.g. since a filter does, what it wrote by then is taken back.
 * @throws REPO_DIRTY when git refuses since a flag hides a change there, GIT_FAILED
 */
export async function forwardCheckout(
  git: Git,
  move: { worktree: string; branch: string; from: string; to: string },
): Promise<void> {
  const merge = ['merge', '--ff-only', ...fixedMergeOptions, '--no-overwrite-ignore', move.to];
  const args = [...fixedMergeSettings(move.branch), ...merge];
  const result = await git(args, {
    ...{ cwd: move.worktree, env: mergeVariables },
    ...{ finishes: true, userFiles: true },
  });
  if (result.exitCode === 0) return;
  if (result.exitCode !== null && refusedByMerge.test(result.stderr)) await refuseHidden(git, move);
  if (result.exitCode !== null) await takeBack(git, move);
  throw gitFailed(args, result);
}

/** Refuses a move that git would refuse since a flag hides a change there. @throws REPO_DIRTY that names it, GIT_FAILED */
export async function refuseHidden(git: Git, move: RepairOptions & { branch: string }): Promise<void> {
  const hidden = await hiddenChanges(git, move);
  if (hidden.length === 0) return;
  const { what, fix } = hiddenText(move.branch, { path: move.worktree, hidden });
  throw new BatonError('REPO_DIRTY', what, { at: move.worktree, fix });
}

/** What `git merge --ff-only` prints when it refuses to start; the refs were already found where they were. */
export const refusedByMerge =
  /would be overwritten by merge|would be removed by merge|would lose untracked files|You have not concluded|unmerged files|not uptodate|Your local changes/;

/** Takes back what a git that failed by itself has written of a move; where that fails as well, its own failure is what counts. */
export async function takeBack(git: Git, move: RepairOptions): Promise<void> {
  await repairCheckout(git, move).catch(() => 'left');
}
