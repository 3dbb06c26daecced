import { readCommit, type CommitFacts } from './commit-object.ts';
import type { ContentReader, ObjectContent } from './content-reader.ts';
import {
  folderMode,
  compareEntries,
  readTree,
  type LatinPath,
  type TreeChange,
  type TreeEntry,
} from './tree-object.ts';

/** Reads commits and trees of one repository; null anywhere: git itself must be asked. */
export interface ObjectView {
  /** An object in full, however large it is. */
  read(id: string): Promise<ObjectContent | null>;
  commit(id: string): Promise<CommitFacts | null>;
  /** The tree of a commit or of itself. */
  treeOf(id: string): Promise<string | null>;
  tree(id: string): Promise<readonly TreeEntry[] | null>;
  /** Remembers a tree that was just stored. */
  noteTree(id: string, entries: readonly TreeEntry[]): void;
  /** All paths that differ between two trees, in git's order. They may be remembered, and so may what {@link ObjectView.list} lists. */
  changes(before: string, after: string): Promise<TreeChange[] | null>;
  /** Entries below a tree with their paths, a folder before what is in it. */
  list(tree: string): Promise<{ path: LatinPath; entry: TreeEntry }[] | null>;
}

/** Entries of remembered trees, of all repositories together some 20 MB. */
const mostRemembered = 100_000;
/** Longer answers are git's. */
const mostEntries = 200_000;

class NotKnown extends Error {}

/**
 * Makes a view. Objects are named by their content, so that trees which were read are remembered; what `commit`, `treeOf` and `read`
 * are asked for is looked for in the repository each time.
 */
export function createObjectView(reader: () => ContentReader): ObjectView {
  const trees = new Map<string, readonly TreeEntry[]>();
  let remembered = 0;
  const noteTree = (id: string, entries: readonly TreeEntry[]): void => {
    if (trees.has(id)) return;
    remembered += entries.length + 1;
    if (remembered > mostRemembered) {
      trees.clear();
      remembered = entries.length + 1;
    }
    trees.set(id, entries);
  };
  const fresh = async (id: string): Promise<readonly TreeEntry[]> => {
    const object = await reader().read(id);
    const entries = object?.type === 'tree' ? readTree(object.body, id.length / 2) : null;
    if (entries === null) throw new NotKnown();
    noteTree(id, entries);
    return entries;
  };
  const below = async (id: string): Promise<readonly TreeEntry[]> => trees.get(id) ?? (await fresh(id));
  const commit = async (id: string): Promise<CommitFacts> => {
    const object = await reader().read(id);
    const facts = object?.type === 'commit' ? readCommit(object.body) : null;
    if (facts === null) throw new NotKnown();
    return facts;
  };
  const treeOf = async (id: string): Promise<string> => {
    const object = await reader().read(id);
    if (object?.type === 'tree') return id;
    const facts = object?.type === 'commit' ? readCommit(object.body) : null;
    if (facts === null) throw new NotKnown();
    return facts.tree;
  };
  return {
    noteTree,
    read: (id) => reader().read(id),
    commit: (id) => orNull(commit(id)),
    treeOf: (id) => orNull(treeOf(id)),
    tree: (id) => orNull(below(id)),
    async changes(before, after) {
      const found: TreeChange[] = [];
      return orNull(compareTrees({ below, found }, { folder: '', before, after }).then(() => found));
    },
    async list(tree) {
      const found: { path: LatinPath; entry: TreeEntry }[] = [];
      return orNull(listTree({ below, found }, { folder: '', tree }).then(() => found));
    },
  };
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotKnown) return null;
    throw error;
  }
}

type Below = (id: string) => Promise<readonly TreeEntry[]>;

async function compareTrees(
  at: { below: Below; found: TreeChange[] },
  { folder, before, after }: { folder: LatinPath; before: string | null; after: string | null },
): Promise<void> {
  if (before === after) return;
  if (at.found.length > mostEntries) throw new NotKnown();
  const [old, now] = await Promise.all([entriesOf(at.below, before), entriesOf(at.below, after)]);
  let [one, other] = [0, 0];
  while (one < old.length || other < now.length) {
    const [was, is] = [old[one], now[other]];
    const order = was === undefined ? 1 : is === undefined ? -1 : compareEntries(was, is);
    if (order <= 0) one += 1;
    if (order >= 0) other += 1;
    const pair = { before: order <= 0 ? (was ?? null) : null, after: order >= 0 ? (is ?? null) : null };
    if (pair.before?.id === pair.after?.id && pair.before?.mode === pair.after?.mode) continue;
    const path = `${folder}${(pair.before ?? pair.after)?.name ?? ''}`;
    const isFolder = (pair.before ?? pair.after)?.mode === folderMode;
    if (!isFolder) at.found.push({ path, ...pair });
    else
      await compareTrees(at, {
        folder: `${path}/`,
        before: pair.before?.id ?? null,
        after: pair.after?.id ?? null,
      });
  }
}

async function entriesOf(below: Below, id: string | null): Promise<readonly TreeEntry[]> {
  return id === null ? [] : below(id);
}

async function listTree(
  at: { below: Below; found: { path: LatinPath; entry: TreeEntry }[] },
  { folder, tree }: { folder: LatinPath; tree: string },
): Promise<void> {
  const entries = await at.below(tree);
  if (at.found.length + entries.length > mostEntries) throw new NotKnown();
  // All folders are asked for at once: the reader answers one after the other.
  const inside = entries.filter(({ mode }) => mode === folderMode).map(({ id }) => at.below(id));
  await Promise.all(inside);
  for (const entry of entries) {
    const path = `${folder}${entry.name}`;
    at.found.push({ path, entry });
    if (entry.mode === folderMode) await listTree(at, { folder: `${path}/`, tree: entry.id });
  }
}
