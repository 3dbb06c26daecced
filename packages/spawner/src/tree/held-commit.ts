import { readFileSync, lstatSync } from 'node:fs';
import path from 'node:path';

/** What of a workspace is looked at here. */
interface Indexed {
  /** One object for all workspaces of a clone. */
  readonly clone: object;
  readonly gitDir: string;
  readonly metaDir: string;
}

interface Held {
  commit: string;
  stamp: string;
}

/** Baton's own index, in the folder of its records about a workspace. */
export const indexIn = (metaDir: string): string => path.join(metaDir, 'index');

/** By clone and folder of records: the commit that Baton's own index of a workspace was last set to, and the index as it was then. */
const held = new WeakMap<object, Map<string, Held>>();

/** Notes that Baton's own index of a workspace was just set to a commit. */
export function noteHeld(workspace: Indexed, commit: string): void {
  const stamp = stampOf(indexIn(workspace.metaDir));
  const known = held.get(workspace.clone) ?? new Map<string, Held>();
  held.set(workspace.clone, known);
  if (stamp === null) known.delete(workspace.metaDir);
  else known.set(workspace.metaDir, { commit, stamp });
}

/** The commit that Baton's own index of a workspace holds; null: it is not known, such as after any change of the index since. */
export function heldCommit(workspace: Indexed): string | null {
  const known = held.get(workspace.clone)?.get(workspace.metaDir);
  return known !== undefined && known.stamp === stampOf(indexIn(workspace.metaDir)) ? known.commit : null;
}

/** Whether the agent's index is byte for byte Baton's own, which holds a commit: then nothing was staged. */
export function isAgentIndexOf(workspace: Indexed, commit: string | null): boolean {
  if (commit === null || heldCommit(workspace) !== commit) return false;
  const [own, theirs] = [indexIn(workspace.metaDir), path.join(workspace.gitDir, 'index')];
  const [one, other] = [lstatSync(own), lstatSync(theirs, { throwIfNoEntry: false })];
  if (other?.isFile() !== true || one.size !== other.size) return false;
  return readFileSync(own).equals(readFileSync(theirs));
}

/** No program can set the time of a change. */
function stampOf(file: string): string | null {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stat?.isFile() !== true) return null;
  return [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ');
}
