import { BatonError } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { bringForward } from './bring-forward.ts';
import { checkedOutAt } from './checkout.ts';
import { forwardCheckout } from './forward-checkout.ts';
import { finalRef } from './git-folders.ts';
import { moveRefs } from './move-refs.ts';
import { dropLandingRefs, publishCandidate } from './publish-candidate.ts';
import { refuseOverwriting } from './refuse-overwriting.ts';
import { refuseInUse } from './target-use.ts';
import { isRemote, type TargetPlace } from './target-place.ts';
import type { TargetLoss } from './target-loss.ts';

/**
 * Puts a target that was deleted or moved back on the last commit that landed on it: only ever forward, and never over a commit
 * of somebody else's.
 * @throws REPO_CHANGED when another repository lies there, TARGET_MOVED when the branch holds other commits, TARGET_IN_USE in the middle of a rebase or the like, REPO_DIRTY when its checkout has something that git does not track in the way, GIT_FAILED when it was moved at the same time
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
  try {
    await putBack(options);
  } finally {
    if (ref !== null) await dropLandingRefs({ git, repo, refs: [ref] });
  }
}

async function putBack({
  loss,
  ...place
}: TargetPlace & { target: string; loss: TargetLoss }): Promise<void> {
  const { git, repo, target } = place;
  const worktree = isRemote(repo) ? null : await checkedOutAt(git, { repo, target });
  if (worktree === null || loss.kind === 'deleted' || loss.head === null) {
    const failure = await moveRefs(place, [{ ref: branchRef(target), from: loss.head, to: loss.last }]);
    if (failure !== null) throw failure;
    if (loss.head !== null && !isRemote(repo))
      await bringForward(git, { repo, target, from: loss.head, to: loss.last });
    return;
  }
  const branch = (await finalRef(git, { repo, ref: branchRef(target) })).slice('refs/heads/'.length);
  const move = { worktree, branch, from: loss.head, to: loss.last };
  await refuseOverwriting(git, { ...move, act: 'restore' });
  await forwardCheckout(git, move);
}
