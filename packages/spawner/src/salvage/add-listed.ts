import { quoted, type BytePath } from '../tree/byte-path.ts';
import type { WalkedTree } from '../tree/walk-tree.ts';
import { treeGit, type Workspace } from '../tree/workspace.ts';
import type { Scopes } from './ignored.ts';
import type { Blob } from './store-blobs.ts';

/** With more names a look at all files costs no more. */
const mostListed = 1_000;

/** What is staged, and what git said of it. */
export interface ListedTree {
  index: string;
  walked: WalkedTree;
  tracked: ReadonlyMap<BytePath, Blob>;
  scopes: Scopes;
}

/**
 * Stages the few files that git listed as new, changed or gone, by their names, so that it need not look at all files once more. False:
 * nothing was staged, since not all of them are plain files and links in places of their own, or git refused one: then all is to be added.
 */
export async function addListed(workspace: Workspace, tree: ListedTree): Promise<boolean> {
  const names = namesOf(tree);
  if (names === null || names.length === 0) return names !== null;
  const stdin = names.map((file) => `${quoted(file)}\n`).join('');
  const args = ['update-index', '--add', '--remove', '--stdin'];
  const added = await treeGit(workspace, args, { index: tree.index, stdin });
  // It passes over names that it refuses; `git add` says what is wrong with them.
  return added.exitCode === 0 && !/^Ignoring path /m.test(added.stderr);
}

/** The names of all that differs; null: something of it is not plain. Pure. */
export function namesOf({ walked, tracked, scopes }: Omit<ListedTree, 'index'>): BytePath[] | null {
  if (!scopes.isWhole || scopes.nested.length > 0) return null;
  const names = new Set([...scopes.others, ...scopes.changed]);
  for (const [file, { mode }] of tracked) {
    if (mode === '160000') return null;
    if (scopes.isGone(file)) names.add(file);
    else if (!walked.files.has(file)) return null;
  }
  if (names.size > mostListed) return null;
  for (const file of names) {
    const isThere = walked.files.has(file);
    if (isThere === scopes.isGone(file) || (!isThere && !tracked.has(file))) return null;
    for (let cut = file.lastIndexOf('/'); cut > 0; cut = file.lastIndexOf('/', cut - 1))
      if (names.has(file.slice(0, cut))) return null;
  }
  return [...names];
}
