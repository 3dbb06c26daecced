import { BatonError } from '@baton/contracts';
import { fixedMergeOptions } from '../merge-options.ts';
import { branchRef } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { bringForward } from './bring-forward.ts';
import { checkedOutAt } from './checkout.ts';
import { moveRefs } from './move-refs.ts';
import { dropLandingRefs, publishCandidate } from './publish-candidate.ts';
import { refuseInUse } from './target-use.ts';
import { isRemote, type TargetPlace } from './target-place.ts';
import type { TargetLoss } from './target-loss.ts';

/**
 * Puts a target that was deleted or moved back on the last commit that landed on it: only ever forward, and never over a commit
 * of somebody else's.
 * @throws REPO_CHANGED when another repository lies there, TARGET_MOVED when the branch holds other commits, TARGET_IN_USE in the middle of a rebase or the like, GIT_FAILED when it was moved at the same time
 */
export async function restoreTarget(
  options: TargetPlace & { clone: string; target: string; loss: TargetLoss },
): Promise<void> {
  const { git, repo, clone, target, loss } = options;
  if (loss.kind === 'replaced') {
    throw new BatonError('REPO_CHANGED', `${repo} is another repository than the one that work landed in.`, {
      at: repo,
      fix: `Put the former repository back. Baton kept what landed: \`${loss.restore}\` makes a checkout of it beside the new one.`,
      details: { head: loss.head, missing: loss.missing },
    });
  }
  if (loss.kind === 'elsewhere') {
    throw new BatonError(
      'TARGET_MOVED',
      `The branch ${target} holds commits that did not lead to what landed.`,
      {
        at: target,
        fix: `Merge what landed into it: ${loss.restore}`,
        details: { head: loss.head, missing: loss.missing },
      },
    );
  }
  if (!isRemote(repo)) await refuseInUse(git, { repo, target });
  const ref = await publishCandidate({
    git,
    clone,
    repo,
    commit: loss.last,
    landingId: `restore-${loss.last}`,
  });
  const worktree = isRemote(repo) ? null : await checkedOutAt(git, { repo, target });
  if (worktree === null || loss.kind === 'deleted') {
    const failure = await moveRefs(options, [{ ref: branchRef(target), from: loss.head, to: loss.last }]);
    if (failure !== null) throw failure;
    if (loss.head !== null && !isRemote(repo))
      await bringForward(git, { repo, target, from: loss.head, to: loss.last });
  } else {
    await gitText(git, ['merge', '--ff-only', ...fixedMergeOptions, loss.last], {
      cwd: worktree,
      userFiles: true,
    });
  }
  if (ref !== null) await dropLandingRefs({ git, repo, refs: [ref] });
}
