import type { IndexEntry } from './index-file.ts';
import type { StoreTree } from './merge-trees.ts';
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
  store: StoreTree;
  /** Whether the repository has an object now. */
  has(id: string): Promise<boolean>;
  /** Id of a tree object with this body. */
  idOf(body: Buffer): string;
}

/**
 * Makes the trees of an index as `git write-tree` does, and gives the id of the whole. Trees that are there already are not stored again,
 * nor what is in them. Null: git must, since something that they hold is not there, or a path is both file and folder.
 */
export async function treeOfIndex(
  tools: TreeTools,
  entries: ReadonlyMap<LatinPath, IndexEntry>,
): Promise<string | null> {
  const root = foldersOf(entries);
  if (root === null) return null;
  const made = makeFolder(tools, root);
  return (await isStored(tools, made)) ? made.id : null;
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

interface MadeFolder {
  id: string;
  body: Buffer;
  files: string[];
  folders: MadeFolder[];
}

function makeFolder(tools: TreeTools, folder: Folder): MadeFolder {
  const entries: TreeEntry[] = [];
  const folders: MadeFolder[] = [];
  for (const [name, inside] of folder) {
    if (!(inside instanceof Map)) {
      entries.push({ name, ...inside });
      continue;
    }
    const made = makeFolder(tools, inside);
    folders.push(made);
    entries.push({ name, mode: folderMode, id: made.id });
  }
  const body = writeTree(entries.sort(compareEntries));
  const files = entries.filter(({ mode }) => mode !== folderMode && mode !== linkMode).map(({ id }) => id);
  return { id: tools.idOf(body), body, files, folders };
}

/** Stores what is not there, what is in a folder before it. False: a file of it is not there. */
async function isStored(tools: TreeTools, { id, body, files, folders }: MadeFolder): Promise<boolean> {
  if (await tools.has(id)) return true;
  const areThere = await Promise.all(files.map((file) => tools.has(file)));
  if (areThere.includes(false)) return false;
  for (const inside of folders) if (!(await isStored(tools, inside))) return false;
  tools.store(body);
  return true;
}
