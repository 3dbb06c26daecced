import { fromText, linesOf, unquoted, type BytePath } from '../tree/byte-path.ts';
import { readIndexFile } from '../git/index-file.ts';
import { treeGitText, type Workspace } from '../tree/workspace.ts';
import type { Blob } from './store-blobs.ts';

/** All that an index holds. @throws GIT_FAILED */
export async function entriesOf(workspace: Workspace, index: string): Promise<Map<BytePath, Blob>> {
  const read = readIndexFile(index, workspace.clone.objectFormat === 'sha1' ? 20 : 32);
  if (read !== null) return read.entries;
  const printed = await treeGitText(workspace, ['-c', 'core.quotePath=true', 'ls-files', '--stage'], {
    index,
  });
  const entries = new Map<BytePath, Blob>();
  for (const line of linesOf(printed)) {
    const [, mode = '', id = '', name = ''] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/.exec(line) ?? [];
    entries.set(unquoted(name), { mode, id });
  }
  return entries;
}

/** Whether a file is staged: by what changed since a commit that the index held before, else by all that the index holds. */
export async function taken(
  workspace: Workspace,
  {
    index,
    tree,
    from,
    before,
  }: { index: string; tree: string; from: string | null; before: ReadonlyMap<BytePath, Blob> },
): Promise<(file: BytePath) => boolean> {
  const changes = from === null ? null : await changesSince(workspace, { from, tree });
  if (changes === null) {
    const after = await entriesOf(workspace, index);
    return (file) => after.has(file);
  }
  return (file) => changes.get(file) ?? before.has(file);
}

/** By path that differs between a commit and a tree: whether the tree has it. Null: not known, or not all of the names are text. */
async function changesSince(
  { clone }: Workspace,
  { from, tree }: { from: string; tree: string },
): Promise<Map<BytePath, boolean> | null> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, tree];
  const listed = await clone.git(args, { cwd: clone.path });
  if (listed.exitCode !== 0 || listed.truncated || listed.stdout.includes('\uFFFD')) return null;
  const parts = listed.stdout.split('\0');
  const changes = new Map<BytePath, boolean>();
  for (let at = 0; at + 1 < parts.length; at += 2)
    changes.set(fromText(parts[at + 1] ?? ''), parts[at]?.endsWith(' D') !== true);
  return changes;
}
