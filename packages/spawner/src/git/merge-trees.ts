import type { ObjectView } from './object-view.ts';
import {
  compareEntries,
  folderMode,
  writeTree,
  type LatinPath,
  type TreeChange,
  type TreeEntry,
} from './tree-object.ts';

/** More changes than this on a side are git's. */
const mostChanges = 10_000;

/** Stores a tree and gives its id. */
export type StoreTree = (body: Buffer) => string;

/**
 * Merges two trees that have a third in common, where git's merge is beyond doubt: each path was added or changed on one side alone, or
 * on both to the same, and none was removed, so that nothing can have been renamed. Null: git must merge.
 */
export async function mergePlainTrees(
  view: ObjectView,
  { base, ours, theirs, store }: { base: string; ours: string; theirs: string; store: StoreTree },
): Promise<string | null> {
  const [mine, other] = [await view.changes(base, ours), await view.changes(base, theirs)];
  if (mine === null || other === null) return null;
  const wanted = toBeTaken(mine, other);
  return wanted === null ? null : putInto(view, { tree: ours, wanted, store });
}

/** What of their changes is not in ours; null: the two may touch each other. Pure. */
export function toBeTaken(
  ours: readonly TreeChange[],
  theirs: readonly TreeChange[],
): Map<LatinPath, TreeEntry> | null {
  if (ours.length > mostChanges || theirs.length > mostChanges) return null;
  const mine = new Map(ours.map((change) => [change.path, change]));
  const wanted = new Map<LatinPath, TreeEntry>();
  for (const { path, after, before } of theirs) {
    const own = mine.get(path)?.after;
    if (after === null || !isSameKind(before, after)) return null;
    if (own !== undefined && (own?.id !== after.id || own.mode !== after.mode)) return null;
    if (own === undefined) wanted.set(path, after);
  }
  if (ours.some(({ before, after }) => after === null || !isSameKind(before, after))) return null;
  const theirPaths = new Set(theirs.map(({ path }) => path));
  const areApart = [...mine.keys()].every((path) => !isBelowAny(path, theirPaths));
  return areApart && theirs.every(({ path }) => !isBelowAny(path, mine)) ? wanted : null;
}

/** A file that became a link, or a submodule that became a file, is git's to judge. */
function isSameKind(before: TreeEntry | null, after: TreeEntry): boolean {
  return before === null || before.mode.slice(0, 2) === after.mode.slice(0, 2);
}

function isBelowAny(path: LatinPath, paths: { has(path: LatinPath): boolean }): boolean {
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1))
    if (paths.has(path.slice(0, cut))) return true;
  return false;
}

/** A tree with some paths set in it; null where a file is in the place of one of their folders. */
async function putInto(
  view: ObjectView,
  {
    tree,
    wanted,
    store,
  }: { tree: string | null; wanted: ReadonlyMap<LatinPath, TreeEntry>; store: StoreTree },
): Promise<string | null> {
  if (wanted.size === 0 && tree !== null) return tree;
  const known = tree === null ? [] : await view.tree(tree);
  if (known === null) return null;
  const entries = new Map(known.map((entry) => [entry.name, entry]));
  const folders = new Map<LatinPath, Map<LatinPath, TreeEntry>>();
  for (const [path, entry] of wanted) {
    const cut = path.indexOf('/');
    if (cut < 0) {
      if (entries.get(path)?.mode === folderMode) return null;
      entries.set(path, { ...entry, name: path });
    } else {
      const name = path.slice(0, cut);
      const inside = folders.get(name) ?? new Map<LatinPath, TreeEntry>();
      folders.set(name, inside.set(path.slice(cut + 1), entry));
    }
  }
  for (const [name, inside] of folders) {
    const there = entries.get(name);
    if (there !== undefined && there.mode !== folderMode) return null;
    const id = await putInto(view, { tree: there?.id ?? null, wanted: inside, store });
    if (id === null) return null;
    entries.set(name, { mode: folderMode, name, id });
  }
  const all = [...entries.values()].sort(compareEntries);
  const id = store(writeTree(all));
  view.noteTree(id, all);
  return id;
}
