import path from 'node:path';
import { holderElsewhere, tryFileLock } from '../process/file-lock.ts';
import { stateOf, worktreesIn } from './find-kept.ts';

/** A worktree with work of an attempt that no ref holds yet: its process died, or could not save it. */
export interface UnsavedTree {
  taskId: string;
  /** Absolute path of the tree. */
  path: string;
}

/** Worktrees of a state folder that no process uses and that still hold work: it is saved before they are used again. */
export function unsavedTrees(stateDir: string): UnsavedTree[] {
  return worktreesIn(stateDir).slots.flatMap(({ path: slot }) => {
    const { owner } = stateOf(slot);
    if (owner === null || isInUse(slot)) return [];
    return [{ taskId: owner.taskId, path: path.join(slot, 'tree') }];
  });
}

/** Worktrees of a state folder that a living process holds, absolute paths. */
export function heldTrees(stateDir: string): string[] {
  return worktreesIn(stateDir).slots.flatMap(({ path: slot }) =>
    isInUse(slot) ? [path.join(slot, 'tree')] : [],
  );
}

function isInUse(slot: string): boolean {
  try {
    const lock = tryFileLock(path.join(slot, 'lock'));
    lock?.release();
    // A process that cannot be seen here may be dead: what it left is named then, too.
    return lock === null && holderElsewhere(path.join(slot, 'lock')) === null;
  } catch {
    return false; // where no lock can be made, no process works
  }
}
