import { branchRef } from '../ref-name.ts';
import type { LaneRef } from './lane.ts';
import { readRefs, type TargetPlace } from './target-place.ts';
import type { HiddenChange } from './hidden-changes.ts';
import type { TargetUse } from './target-use.ts';

/** One landing's effect: target and lane ref move together, each from its known value. */
export interface MoveOptions extends TargetPlace {
  target: string;
  /** Head of the target that the candidate was built and verified on. */
  from: string;
  /** The candidate: a descendant of `from`, present in the target's repository (or, for a remote, in the clone). */
  to: string;
  /** True: `to` need not contain `from`, since the caller knows that nothing of it is lost. */
  mayRewrite?: boolean;
  lane: LaneRef;
  /** Names the intent in the lane ref. */
  landingId: string;
  /** Folder of Baton's own, on a file system that may run programs; used only for a target that is checked out. */
  stateDir: string;
}

/** How a move ended. Nothing moved unless it is `moved`; `lane` is then what the next landing takes. */
export type MoveOutcome =
  | {
      kind: 'moved';
      lane: LaneRef;
      /** Worktrees that a person switched to the target during the move and that keep the files of its former head; none when left out. */
      behind?: string[];
    }
  | { kind: 'lost_race' }
  | { kind: 'lane_lost' }
  | {
      kind: 'blocked';
      blocked: 'checkout_dirty';
      path: string;
      /** Untracked or ignored files in the way; empty: tracked files were changed. */
      files: string[];
    }
  | { kind: 'blocked'; blocked: 'checkout_hidden'; path: string; hidden: HiddenChange[] }
  | { kind: 'blocked'; blocked: 'target_in_use'; use: TargetUse };

/** A move with the value that the lane ref gets. */
export interface LaneMove extends MoveOptions {
  next: LaneRef;
}

/** Judges a failed move by both refs. Null: they stand where they did, so the failure has another cause. @throws GIT_FAILED */
export async function whereRefsStand(move: LaneMove): Promise<MoveOutcome | null> {
  const [head = null, value = null] = await readRefs(move, [branchRef(move.target), move.lane.ref]);
  if (value === move.next.value) return { kind: 'moved', lane: move.next };
  if (value !== move.lane.value) return { kind: 'lane_lost' };
  if (head === move.to) return { kind: 'moved', lane: move.lane };
  return head === move.from ? null : { kind: 'lost_race' };
}
