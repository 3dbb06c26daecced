import type { IndexEntry } from './index-file.ts';
import type { StoreTree } from './merge-trees.ts';
import type { ObjectView } from './object-view.ts';
import {
  compareEntries,
  folderMode,
  linkMode,
  writeTree,
  type LatinPath,
  type TreeEntry,
} from './tree-object.ts';

/** What trees are made with. */
export interface TreeTools {
  view: ObjectView;
  store: StoreTree;
  /** Whether the repository has an object. */
  has(id: string): Promise<boolean>;
  /** Id of a tree object with this body. */
  idOf(body: Buffer): string;
}

/**
 * Makes the trees of an index as `git write-tree` does, and gives the id of the whole. Trees that are there already are not stored again.
 * Null: git must, since something that they hold is not there, or a path is both file and folder.
 */
export async function treeOfIndex(
  tools: TreeTools,
  entries: ReadonlyMap<LatinPath, IndexEntry>,
): Promise<string | null> {
  const root = foldersOf(entries);
  return root === null ? null : storeFolder(tools, root);
}

/** A folder: what lies in it by name. */
type Folder = Map<LatinPath, IndexEntry | Folder>;

function foldersOf(entries: ReadonlyMap<LatinPath, IndexEntry>): Folder | null {
  const root: Folder = new Map();
  const byPath = new Map<LatinPath, Folder>([['', root]]);
  for (const [path, entry] of entries) {
    const cut = path.lastIndexOf('/');
    const folder = folderAt(byPath, cut < 0 ? '' : path.slice(0, cut));
    const name = path.slice(cut + 1);
    if (folder === null || folder.has(name)) return null;
    folder.set(name, entry);
  }
  return root;
}

function folderAt(byPath: Map<LatinPath, Folder>, path: LatinPath): Folder | null {
  const known = byPath.get(path);
  if (known !== undefined) return known;
  const cut = path.lastIndexOf('/');
  const above = folderAt(byPath, cut < 0 ? '' : path.slice(0, cut));
  const name = path.slice(cut + 1);
  if (above === null || above.has(name)) return null;
  const made: Folder = new Map();
  above.set(name, made);
  byPath.set(path, made);
  return made;
}

async function storeFolder(tools: TreeTools, folder: Folder): Promise<string | null> {
  const entries: TreeEntry[] = [];
  for (const [name, inside] of folder) {
    if (!(inside instanceof Map)) {
      entries.push({ name, ...inside });
      continue;
    }
    const id = await storeFolder(tools, inside);
    if (id === null) return null;
    entries.push({ name, mode: folderMode, id });
  }
  entries.sort(compareEntries);
  const body = writeTree(entries);
  const id = tools.idOf(body);
  if ((await tools.view.tree(id)) !== null) return id;
  const files = entries.filter(({ mode }) => mode !== folderMode && mode !== linkMode);
  const areThere = await Promise.all(files.map((file) => tools.has(file.id)));
  if (areThere.includes(false)) return null;
  tools.view.noteTree(id, entries);
  return tools.store(body);
}
