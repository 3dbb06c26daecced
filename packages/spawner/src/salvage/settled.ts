import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { BytePath } from '../tree/byte-path.ts';
import { attemptRef, type AttemptKey } from '../tree/clone.ts';
import { changedSince, markMoment, type ListTools } from '../tree/changed-since.ts';
import { isRealFolder } from '../tree/agent-git.ts';
import { hasSubmodules } from '../tree/submodules.ts';
import type { WalkedTree } from '../tree/walk-tree.ts';
import type { Workspace } from '../tree/workspace.ts';
import { hasUsualSettings } from '../git/own-store.ts';
import type { Scopes } from './ignored.ts';
import type { Blob } from './store-blobs.ts';

interface Settled {
  headCommit: string;
  /** File that notes a moment before the tree was looked at. */
  mark: string;
}

/** Workspaces whose whole tree is in a commit. It is not written down: after a crash a salvage looks at all of it. */
const settled = new WeakMap<Workspace, Settled>();

/** Notes the moment before a tree is committed; null where the file system cannot tell it from later ones. */
export async function beforeCommit(workspace: Workspace): Promise<string | null> {
  settled.delete(workspace);
  const mark = path.join(workspace.metaDir, 'committed');
  return markMoment(mark).then(
    () => mark,
    () => null,
  );
}

/** Notes that all that was in a tree at a moment is in a commit. */
export function noteSettled(workspace: Workspace, done: Settled): void {
  settled.set(workspace, done);
}

/**
 * Whether a tree is still what was committed of it, so that a salvage would find nothing: the attempt's ref holds the commit, the agent's
 * HEAD names it, its repository has no objects of its own, and no entry of the tree has changed since before it was looked at, by
 * times that no program can set.
 */
export async function isSettled(
  workspace: Workspace,
  {
    attempt,
    agentHead,
    tools,
  }: { attempt: AttemptKey; agentHead: string | null; tools: ListTools | undefined },
): Promise<boolean> {
  const done = settled.get(workspace);
  settled.delete(workspace);
  if (done === undefined || tools === undefined || agentHead !== done.headCommit) return false;
  const objects = path.join(workspace.gitDir, 'objects');
  if (!isRealFolder(objects) || hasObjects(objects) || hasSubmodules(workspace)) return false;
  const isKept =
    done.headCommit === workspace.state.startCommit ||
    (await workspace.clone.resolve(attemptRef(attempt))) === done.headCommit;
  if (!isKept) return false;
  const changed = await changedSince(workspace.path, done.mark, { ...tools, except: '.git' }).catch(
    () => null,
  );
  return changed?.length === 0;
}

/** Whether a folder of objects holds any. */
export function hasObjects(folder: string): boolean {
  return readdirSync(folder).some((name) => {
    const wanted = name === 'pack' || /^[0-9a-f]{2}$/.test(name);
    return wanted && isRealFolder(path.join(folder, name)) && readdirSync(path.join(folder, name)).length > 0;
  });
}

/**
 * Whether a tree that was staged holds nothing that a salvage would keep or name besides: nothing ignored, nested, empty, special or
 * out of reach, no new link, nothing of set-up or submodules, and no attributes or settings by which bytes differ from what is
 * committed. Reads no file of the tree.
 */
export function holdsNothingElse(
  workspace: Workspace,
  { walked, tracked, scopes }: { walked: WalkedTree; tracked: ReadonlyMap<BytePath, Blob>; scopes: Scopes },
): boolean {
  const { clone, state } = workspace;
  const { files, gitFiles, repositories, special, empty, unreached } = walked;
  const isNone = [repositories, special, empty, unreached].every((list) => list.length === 0);
  if (!isNone || gitFiles.size > 0 || !scopes.isWhole) return false;
  const madeBySetUp = state.setupPaths.length + state.copied.length + Object.keys(state.caches).length;
  if (madeBySetUp > 0 || hasSubmodules(workspace)) return false;
  if (!hasUsualSettings(clone.path) || existsSync(path.join(clone.path, 'info', 'attributes'))) return false;
  for (const file of files.keys()) {
    if (/(^|\/)\.gitattributes$/.test(file)) return false;
    if (!tracked.has(file) && !scopes.others.has(file)) return false; // ignored, or not seen by git
  }
  for (const [file, { mode }] of tracked)
    if (mode === '160000' || /(^|\/)\.gitattributes$/.test(file)) return false;
  const isGone = (file: BytePath): boolean => scopes.isGone(file) && !files.has(file);
  return [...scopes.others, ...scopes.changed].every((file) => files.get(file) === 'file' || isGone(file));
}
