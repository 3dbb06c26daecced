import type { ObjectContent } from './content-reader.ts';
import type { ObjectView } from './object-view.ts';
import { folderMode, linkMode } from './tree-object.ts';

/** What is asked of the two repositories. */
export interface ObjectSource {
  /** Where the objects are. */
  view: ObjectView;
  /** Bytes of an object there; null: not known. */
  sizeOf(id: string): Promise<number | null>;
  /** Whether the other repository has an object of that id, which is a commit. */
  has(commit: string): Promise<boolean>;
  /** Whether refs there lead to all of these commits, so that all that they need is there and stays. */
  keeps(commits: readonly string[]): Promise<boolean>;
}

const mostObjects = 2_000;
const mostBytes = 4 * 1024 * 1024;

/**
 * The objects that a repository needs to have a commit in full: commits that it has not, and what their trees hold besides those of
 * their first parents. Null: there are too many, one cannot be read, or what they are made on may have been collected in part, so that git
 * must bring them.
 */
export async function newObjects(source: ObjectSource, commit: string): Promise<ObjectContent[] | null> {
  const ids = new Set<string>();
  const there = new Set<string>();
  const waiting = [commit];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (ids.has(next) || there.has(next)) continue;
    if (await source.has(next)) {
      there.add(next);
      continue;
    }
    const facts = await source.view.commit(next);
    if (facts === null || ids.size > mostObjects) return null;
    ids.add(next);
    waiting.push(...facts.parents);
    const [first] = facts.parents;
    const before = first === undefined ? null : await source.view.treeOf(first);
    if (first !== undefined && before === null) return null;
    if (!(await noteNew(source.view, { ids, before, after: facts.tree }))) return null;
  }
  return (await source.keeps([...there])) ? read(source, ids) : null;
}

/** Notes a tree and what it holds, but for what is at the same place in another. False: something cannot be read, or it is too much. */
async function noteNew(
  view: ObjectView,
  { ids, before, after }: { ids: Set<string>; before: string | null; after: string },
): Promise<boolean> {
  if (before === after || ids.has(after)) return true;
  const [old, now] = await Promise.all([before === null ? [] : view.tree(before), view.tree(after)]);
  if (old === null || now === null || ids.size > mostObjects) return false;
  ids.add(after);
  const known = new Map(old.map((entry) => [entry.name, entry]));
  for (const { name, mode, id } of now) {
    const was = known.get(name);
    if (mode === linkMode || was?.id === id) continue;
    if (mode !== folderMode) ids.add(id);
    else {
      const folder = was?.mode === folderMode ? was.id : null;
      if (!(await noteNew(view, { ids, before: folder, after: id }))) return false;
    }
  }
  return true;
}

async function read(
  { view, sizeOf }: ObjectSource,
  ids: ReadonlySet<string>,
): Promise<ObjectContent[] | null> {
  if (ids.size > mostObjects) return null;
  const sizes = await Promise.all([...ids].map((id) => sizeOf(id)));
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? mostBytes), 0);
  if (total >= mostBytes) return null;
  const objects = await Promise.all([...ids].map((id) => view.read(id)));
  const found = objects.filter((object) => object !== null);
  return found.length === objects.length ? found : null;
}
