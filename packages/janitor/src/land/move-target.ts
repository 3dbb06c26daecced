import { BatonError } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { gitSays, gitText } from '../run-git.ts';
import { bringForward } from './bring-forward.ts';
import { checkedOutAt } from './checkout.ts';
import { requireFullIds } from './full-ids.ts';
import { finalRef } from './git-folders.ts';
import { writeLaneValue } from './lane.ts';
import { whereRefsStand, type LaneMove, type MoveOptions, type MoveOutcome } from './lane-move.ts';
import { moveCheckedOut } from './move-checked-out.ts';
import { moveRefs } from './move-refs.ts';
import { isRemote, objectsOf } from './target-place.ts';
import { targetUse } from './target-use.ts';

/**
 * Lands a candidate: moves target and lane ref in one ref transaction, or for a remote in one atomic push. A target that is checked
 * out is fast-forwarded there instead, while a prepared transaction holds the lane ref, and one that somebody checked out during the
 * move is brought forward after it (docs/spec/landing.md#checked-out-targets). A git that failed is judged by
 * where the refs stand, so a lost answer is not taken for a lost race.
 * @throws INVALID_INPUT for a `to` that is no commit or does not contain `from`: commits of the target would be lost
 * @throws GIT_FAILED when nothing explains the failure
 */
export async function moveTarget(options: MoveOptions): Promise<MoveOutcome> {
  const { git, repo, target, lane } = options;
  await requireDescendant(options);
  const isHere = !isRemote(repo);
  const { epoch, holder } = lane;
  const [value, use, worktree] = await Promise.all([
    writeLaneValue(options, { epoch, holder, intent: options.landingId }),
    isHere ? targetUse(git, { repo, target }) : null,
    isHere ? checkedOutAt(git, { repo, target }) : null,
  ]);
  const move: LaneMove = { ...options, next: { ...lane, value } };
  if (use !== null) return (await whereRefsStand(move)) ?? { kind: 'blocked', blocked: 'target_in_use', use };
  if (worktree !== null) {
    const ref = await finalRef(git, { repo, ref: branchRef(target) });
    return moveCheckedOut(move, { worktree, ref });
  }

  const failure = await moveRefs(options, [
    { ref: branchRef(target), from: options.from, to: options.to },
    { ref: lane.ref, from: lane.value, to: value },
  ]);
  const outcome = failure === null ? moved(move) : ((await whereRefsStand(move)) ?? failure);
  if (outcome instanceof BatonError) throw outcome;
  if (outcome.kind !== 'moved' || !isHere) return outcome;
  const behind = await bringForward(git, options);
  return behind.length === 0 ? outcome : { ...outcome, behind };
}

const moved = ({ next }: LaneMove): MoveOutcome => ({ kind: 'moved', lane: next });

/** A reference that is moved back, aside or to another kind of object takes the commits that it held out of the branch. */
async function requireDescendant({
  from,
  to,
  mayRewrite = false,
  target,
  ...place
}: MoveOptions): Promise<void> {
  requireFullIds({ from, to });
  if (from === to || mayRewrite) return;
  const cwd = objectsOf(place);
  const object = await gitText(place.git, ['cat-file', '--batch'], { cwd, stdin: `${to}\n` });
  // Of what is missing, git says so next.
  const [, kind] = object.split(/[ \n]/, 2);
  const mayContain = kind === 'commit' || kind === 'missing';
  if (mayContain && (await gitSays(place.git, ['merge-base', '--is-ancestor', from, to], { cwd }))) return;
  throw new BatonError('INVALID_INPUT', `The commit ${to} does not contain ${from}, the head of ${target}.`, {
    at: 'to',
    fix: 'Build the candidate on that head with `buildCandidate`.',
  });
}
