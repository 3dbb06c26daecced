import { branchRef } from '../ref-name.ts';
import { checkedOutAt } from './checkout.ts';
import { writeLaneValue, type LaneRef } from './lane.ts';
import { moveCheckedOut } from './move-checked-out.ts';
import { moveRefs } from './move-refs.ts';
import { isRemote, readRefs, type TargetPlace } from './target-place.ts';

/** One landing's effect: target and lane ref move together, each from its known value. */
export interface MoveOptions extends TargetPlace {
  target: string;
  /** Head of the target that the candidate was built and verified on. */
  from: string;
  /** The candidate: a child of `from`, present in the target's repository (or, for a remote, in the clone). */
  to: string;
  lane: LaneRef;
  /** Names the intent in the lane ref. */
  landingId: string;
  /** Folder of Baton's own, on a file system that may run programs; used only for a target that is checked out. */
  stateDir: string;
}

/** How a move ended. Nothing moved unless it is `moved`; `lane` is then what the next landing takes. */
export type MoveOutcome =
  | { kind: 'moved'; lane: LaneRef }
  | { kind: 'lost_race' }
  | { kind: 'lane_lost' }
  | { kind: 'blocked'; blocked: 'checkout_dirty'; path: string };

/** A move with the value that the lane ref gets. */
export interface LaneMove extends MoveOptions {
  next: LaneRef;
}

/**
 * Lands a candidate: moves target and lane ref in one ref transaction, or for a remote in one atomic push. A target that is checked
 * out is fast-forwarded there instead, while a prepared transaction holds the lane ref (landing.md §2). A git that failed is judged by
 * where the refs stand, so a lost answer is not taken for a lost race.
 * @throws GIT_FAILED when nothing explains the failure
 */
export async function moveTarget(options: MoveOptions): Promise<MoveOutcome> {
  const { git, repo, target, lane } = options;
  const value = await writeLaneValue(options, {
    epoch: lane.epoch,
    holder: lane.holder,
    intent: options.landingId,
  });
  const move: LaneMove = { ...options, next: { ...lane, value } };
  const worktree = isRemote(repo) ? null : await checkedOutAt(git, { repo, target });
  if (worktree !== null) return moveCheckedOut(move, { worktree });

  const failure = await moveRefs(options, [
    { ref: branchRef(target), from: options.from, to: options.to },
    { ref: lane.ref, from: lane.value, to: value },
  ]);
  if (failure === null) return { kind: 'moved', lane: move.next };
  const outcome = await whereRefsStand(move);
  if (outcome === null) throw failure;
  return outcome;
}

/** Judges a failed move by both refs. Null: they stand where they did, so the failure has another cause. @throws GIT_FAILED */
export async function whereRefsStand(move: LaneMove): Promise<MoveOutcome | null> {
  const [head = null, value = null] = await readRefs(move, [branchRef(move.target), move.lane.ref]);
  if (value === move.next.value) return { kind: 'moved', lane: move.next };
  if (value !== move.lane.value) return { kind: 'lane_lost' };
  if (head === move.to) return { kind: 'moved', lane: move.lane };
  return head === move.from ? null : { kind: 'lost_race' };
}
