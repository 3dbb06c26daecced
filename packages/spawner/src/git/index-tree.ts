import type { CachedTree } from './cached-trees.ts';
import type { IndexEntry, ReadIndex } from './index-file.ts';
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
 * nor what is in them; those that the index was written with are not even made. Null: git must, since something that they hold is not
 * there, or a path is both file and folder.
 */
export async function treeOfIndex(tools: TreeTools, { entries, cached }: ReadIndex): Promise<string | null> {
  if (cached?.id !== undefined && cached.id !== null && cached.count === entries.size && entries.size > 0)
    if (await tools.has(cached.id)) return cached.id;
  const root = foldersOf([...entries], cached);
  if (root === null) return null;
  const made = makeFolder(tools, root);
  return (await isStored(tools, made)) ? made.id : null;
}

/** A folder: what lies in it by name, as id where its tree is known. */
type Folder = Map<LatinPath, IndexEntry | Folder | string>;

type Entries = readonly (readonly [LatinPath, IndexEntry])[];

function foldersOf(entries: Entries, cached: CachedTree | null): Folder | null {
  const root: Folder = new Map();
  const byPath = new Map<LatinPath, Folder>([['', root]]);
  for (let at = 0; at < entries.length;) {
    const known = knownAt(entries, { at, cached });
    const [path, entry] = known === null ? (entries[at] ?? []) : [known.folder, known.id];
    if (path === undefined || entry === undefined) return null;
    const cut = path.lastIndexOf('/');
    const folder = folderAt(byPath, cut < 0 ? '' : path.slice(0, cut));
    const name = path.slice(cut + 1);
    if (folder === null || folder.has(name)) return null;
    folder.set(name, entry);
    at += known?.count ?? 1;
  }
  return root;
}

/** The outermost folder with a known tree whose entries begin here. */
function knownAt(
  entries: Entries,
  { at, cached }: { at: number; cached: CachedTree | null },
): { folder: LatinPath; id: string; count: number } | null {
  const path = entries[at]?.[0] ?? '';
  let tree = cached ?? undefined;
  for (let cut = path.indexOf('/'), from = 0; cut >= 0; from = cut + 1, cut = path.indexOf('/', from)) {
    tree = tree?.folders.get(path.slice(from, cut));
    if (tree === undefined) return null;
    const { id, count } = tree;
    if (id === null || count === 0) continue;
    const prefix = path.slice(0, cut + 1);
    const isBelow = (one: number) => entries[one]?.[0].startsWith(prefix) === true;
    if (isBelow(at - 1) || !isBelow(at + count - 1) || isBelow(at + count)) return null;
    return { folder: path.slice(0, cut), id, count };
  }
  return null;
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
  /** What must be there: files, and folders whose trees are known. */
  wanted: string[];
  folders: MadeFolder[];
}

function makeFolder(tools: TreeTools, folder: Folder): MadeFolder {
  const entries: TreeEntry[] = [];
  const folders: MadeFolder[] = [];
  const wanted: string[] = [];
  for (const [name, inside] of folder) {
    if (typeof inside === 'string') {
      entries.push({ name, mode: folderMode, id: inside });
      wanted.push(inside);
      continue;
    }
    if (!(inside instanceof Map)) {
      const { mode, id } = inside;
      entries.push({ name, mode, id });
      if (mode !== linkMode) wanted.push(id);
      continue;
    }
    const made = makeFolder(tools, inside);
    folders.push(made);
    entries.push({ name, mode: folderMode, id: made.id });
  }
  const body = writeTree(entries.sort(compareEntries));
  return { id: tools.idOf(body), body, wanted, folders };
}

/** Stores what is not there, what is in a folder before it. False: something that they hold is not there. */
async function isStored(tools: TreeTools, { id, body, wanted, folders }: MadeFolder): Promise<boolean> {
  if (await tools.has(id)) return true;
  const areThere = await Promise.all(wanted.map((one) => tools.has(one)));
  if (areThere.includes(false)) return false;
  for (const inside of folders) if (!(await isStored(tools, inside))) return false;
  tools.store(body);
  return true;
}
