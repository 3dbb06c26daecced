import { lstatSync, rmSync } from 'node:fs';
import { bytesOf, fromText, type BytePath } from '../tree/byte-path.ts';
import { heldCommit } from '../tree/held-commit.ts';
import { keptPaths } from '../salvage/set-up-files.ts';
import { indexFile, treeGit, type Workspace } from '../tree/workspace.ts';

/**
 * Sees that git writes the files of a commit by the attributes of that commit alone. Git falls back on attributes that it finds in
 * the tree, and leaves a file alone whose content stays while its line ends, encoding or `$Id$` would change.
 *
 * @param options.folders Folders of the commit that are in the tree, none of them behind a link.
 */
export async function prepareAttributes(
  workspace: Workspace,
  { commit, folders }: { commit: string; folders: readonly BytePath[] },
): Promise<void> {
  removeAttributes(workspace, folders);
  if (await differInAttributes(workspace, commit)) await forgetFiles(workspace);
}

/** Whether Baton's own index holds other attributes than a commit; where it is known which commit it holds, the two are compared. */
async function differInAttributes(workspace: Workspace, commit: string): Promise<boolean> {
  const held = heldCommit(workspace);
  if (held !== null) {
    const changed = await workspace.clone.changedPaths(held, commit).catch(() => null);
    if (changed !== null) return changed.some((file) => /(^|\/)\.gitattributes$/.test(file));
  }
  const all = ':(top,glob)**/.gitattributes';
  const compared = await treeGit(workspace, ['diff-index', '--cached', '--quiet', commit, '--', all]);
  return compared.exitCode !== 0;
}

/** Those of the commit are written again; what set-up made stays. */
function removeAttributes(workspace: Workspace, folders: readonly BytePath[]): void {
  const top = fromText(workspace.path);
  const kept = keptPaths(workspace).map((file) => fromText(file.replace(/\/$/, '')));
  const isKept = (name: BytePath) => kept.some((file) => name === file || name.startsWith(`${file}/`));
  for (const folder of folders) {
    const name = folder === '' ? '.gitattributes' : `${folder}/.gitattributes`;
    const file = bytesOf(`${top}/${name}`);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory() && !isKept(name)) rmSync(file, { force: true });
  }
}

/** The index keeps its entries and forgets what it knows of their files, so that each is written again. */
async function forgetFiles(workspace: Workspace): Promise<void> {
  const written = await treeGit(workspace, ['write-tree', '--missing-ok']);
  const read = written.exitCode === 0 ? await treeGit(workspace, ['read-tree', written.stdout.trim()]) : null;
  if (read?.exitCode !== 0) rmSync(indexFile(workspace), { force: true });
}
