import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { refuseMounts, removeTree } from '../tree/remove-tree.ts';
import { isRealFolder, writeAgentGit } from '../tree/agent-git.ts';
import { prepareAttributes } from './attributes.ts';
import { settleTimes } from './settle-times.ts';
import { noteHeld } from '../tree/held-commit.ts';
import { clearWaits } from '../tree/clear-waits.ts';
import { keptPaths, undoSetUpChanges } from '../salvage/set-up-files.ts';
import { clearSubmodules, hasSubmodules } from '../tree/submodules.ts';
import {
  excludeFile,
  indexFile,
  saveState,
  treeGit,
  treeGitText,
  type Workspace,
} from '../tree/workspace.ts';

/**
 * Sets the tree to a commit: tracked files as there, everything else gone but for what set-up made. The caller has
 * salvaged first. A tree that cannot be set (rights taken away, replaced by a link) is put aside and made again.
 *
 * @throws WORKSPACE_FAILED; EBUSY when something is mounted in it; what the file system says of a tree that cannot be moved either
 */
export async function resetTree(workspace: Workspace, commit: string): Promise<void> {
  refuseUnsaved(workspace);
  refuseMounts(workspace.path);
  saveState(workspace, { head: null }); // a crash in between leaves a tree that does not count as clean
  if (hasSubmodules(workspace)) {
    await clearSubmodules(workspace);
    saveState(workspace, { setupKey: null, submodules: null });
  }
  writeExcludes(workspace);
  if (!isRealFolder(workspace.path) || (await trySet(workspace, commit)) !== null) {
    await discardTree(workspace);
    const said = await trySet(workspace, commit);
    if (said !== null) throw cannotBeSet(workspace, { commit, said });
  }
  writeAgentGit(workspace, commit);
  saveState(workspace, { head: commit, startCommit: commit });
}

/** {@link resetTree} for the next task: what somebody did inside what set-up made goes as well. */
export async function resetForTask(workspace: Workspace, commit: string): Promise<void> {
  refuseUnsaved(workspace);
  await undoSetUpChanges(workspace);
  await resetTree(workspace, commit);
}

function refuseUnsaved({ state, path: at }: Workspace): void {
  if (state.unsaved === null) return;
  throw new BatonError('WORKSPACE_FAILED', `The worktree ${at} holds work that could not be saved.`, {
    fix: 'See that the state folder is writable; the worktree is set aside before its place is used again.',
    at,
  });
}

const mostSaid = 120;
/** Git cuts its messages at about 4,096 bytes: one that a path fills gives no reason. */
const filledByPath = 3_500;

/** Git's own reason first, since a path may be longer than what a listing shows; of a long one both ends, where the cause is. */
function cannotBeSet(
  { path: at }: Workspace,
  { commit, said }: { commit: string; said: string },
): BatonError {
  const [line = ''] = said.split('\n').filter((one) => /^(fatal|error): /.test(one));
  const reason = line.replace(/^\w+: /, '');
  const half = mostSaid / 2;
  const short = reason.length > mostSaid ? `${reason.slice(0, half)}…${reason.slice(-half)}` : reason;
  const isTooLong = reason.includes('File name too long') || reason.length > filledByPath;
  return new BatonError(
    'WORKSPACE_FAILED',
    `${short === '' ? 'Git does not say why' : short}: the worktree ${at} cannot be set to ${commit}.`,
    {
      fix: isTooLong
        ? 'Shorten that path in the repository: with the folder of the worktree it is longer than the file system takes. If only the whole is too long, a shorter state folder (`BATON_HOME`) helps.'
        : 'See that the disk has room and that the state folder is writable, then try again.',
      at,
    },
  );
}

/** What git said when the tree could not be set; null: it is set. */
async function trySet(workspace: Workspace, commit: string): Promise<string | null> {
  rmSync(`${indexFile(workspace)}.lock`, { force: true });
  const folders = await clearWaits(workspace, commit).catch(tooLong);
  if (typeof folders === 'string') return folders;
  await prepareAttributes(workspace, { commit, folders });
  const set = await treeGit(workspace, ['read-tree', '--reset', '-u', commit]);
  if (set.exitCode !== 0) return set.stderr;
  await settleTimes(workspace);
  noteHeld(workspace, commit);
  const kept = keptPaths(workspace).flatMap((file) => ['-e', anchored(file)]);
  const cleaned = await treeGit(workspace, ['clean', '-ffdxq', ...kept]);
  return cleaned.exitCode === 0 ? null : cleaned.stderr;
}

/** In the words of git, that a path of the commit is too long to be looked at. */
function tooLong(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENAMETOOLONG') throw error;
  return 'error: File name too long (a folder of the commit)';
}

async function discardTree(workspace: Workspace): Promise<void> {
  saveState(workspace, { setupKey: null, setupPaths: [], caches: {} });
  writeExcludes(workspace);
  rmSync(indexFile(workspace), { force: true });
  const aside = `${workspace.path}.discarded`;
  await removeStubborn(aside);
  if (lstatSync(workspace.path, { throwIfNoEntry: false })) renameSync(workspace.path, aside);
  mkdirSync(workspace.path, { recursive: true });
  await removeStubborn(aside);
}

/** A link is renamed, then removed as a link: what it leads to is not ours. What stays is in the way of the next renaming, which says so. */
async function removeStubborn(folder: string): Promise<void> {
  await removeTree(folder).catch(() => undefined);
}

/** Writes the exclude patterns for what set-up put into the tree: it is never committed or salvaged. */
export function writeExcludes(workspace: Workspace): void {
  mkdirSync(path.dirname(excludeFile(workspace)), { recursive: true });
  const all = [...keptPaths(workspace), ...workspace.state.copied];
  writeFileSync(excludeFile(workspace), all.map((file) => `${anchored(file)}\n`).join(''));
}

/** A path as a pattern that matches only there. */
export function anchored(file: string): string {
  return `/${file.replace(/^\/|\/$/g, '').replace(/[\\*?[\]! #]/g, '\\$&')}`;
}

/** Puts tracked files back as they are in the workspace's head, after a set-up command changed some. */
export async function restoreTracked(workspace: Workspace): Promise<void> {
  const { head } = workspace.state;
  if (head === null) return;
  await clearWaits(workspace, head);
  await treeGitText(workspace, ['read-tree', '--reset', '-u', head]);
  await settleTimes(workspace);
}
