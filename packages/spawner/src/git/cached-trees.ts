import type { LatinPath } from './tree-object.ts';

/** A folder of an index whose tree git had written when it wrote the index. */
export interface CachedTree {
  /** Its tree; null: something below it has changed since. */
  id: string | null;
  /** How many entries of the index are below it; 0 where there is no tree. */
  count: number;
  folders: Map<LatinPath, CachedTree>;
}

/** Deeper ones are left to git. */
const deepest = 200;

/** Reads the extension `TREE` of an index; null: it is of another form. Pure. Source: gitformat-index(5), "Cache tree". */
export function readCachedTrees(data: Buffer, idBytes: number): CachedTree | null {
  const read = readFolder(data, { at: 0, idBytes, depth: 0 });
  return read !== null && read.name === '' && read.at === data.length ? read.tree : null;
}

function readFolder(
  data: Buffer,
  { at, idBytes, depth }: { at: number; idBytes: number; depth: number },
): { name: LatinPath; tree: CachedTree; at: number } | null {
  const nameEnd = data.indexOf(0, at);
  const lineEnd = data.indexOf(0x0a, nameEnd);
  if (nameEnd < 0 || lineEnd < 0 || depth > deepest) return null;
  const numbers = /^(-?\d+) (\d+)$/.exec(data.toString('latin1', nameEnd + 1, lineEnd));
  if (numbers === null) return null;
  const [entries, below] = [Number(numbers[1]), Number(numbers[2])];
  const isKnown = entries >= 0;
  let next = lineEnd + 1;
  const id = isKnown ? data.toString('hex', next, next + idBytes) : null;
  if (isKnown) next += idBytes;
  if (next > data.length) return null;
  const folders = new Map<LatinPath, CachedTree>();
  for (let read = 0; read < below; read += 1) {
    const inside = readFolder(data, { at: next, idBytes, depth: depth + 1 });
    if (inside === null) return null;
    folders.set(inside.name, inside.tree);
    next = inside.at;
  }
  const name = data.toString('latin1', at, nameEnd);
  return { name, tree: { id, count: Math.max(entries, 0), folders }, at: next };
}
