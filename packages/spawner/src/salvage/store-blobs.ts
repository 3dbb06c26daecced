import type { BigIntStats } from 'node:fs';
import { access, chmod, constants, lstat, mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bytesOf, fromText, linesOf, quoted, type BytePath } from '../tree/byte-path.ts';
import { leftOut, type LeftOut } from '../tree/left-out.ts';
import { treeGit, type Workspace } from '../tree/workspace.ts';

/** A file larger than this, in bytes, is not written into the clone. */
export const largestBytes = 200 * 1024 * 1024;
const atOnce = 64;
const mostFailures = 100;

/** An entry of a tree. */
export interface Blob {
  mode: string;
  id: string;
}

/** What {@link storeBlobs} did with each file: it is in one of the two. */
export interface StoredBlobs {
  blobs: Map<BytePath, Blob>;
  leftOut: LeftOut[];
}

interface Draft {
  file: BytePath;
  mode: string;
  /** What git reads: the file itself, or a copy of where a link leads. */
  source: BytePath;
  stat: BigIntStats;
}

/**
 * Writes the exact bytes of files, and the targets of links, into the clone: no attribute, encoding or filter changes
 * them. A file that changes while it is read, or cannot be read, is left out with the reason.
 */
export async function storeBlobs(
  workspace: Workspace,
  files: readonly BytePath[],
  { mayChange }: { mayChange: boolean },
): Promise<StoredBlobs> {
  const scratch = path.join(workspace.metaDir, 'links');
  const out: StoredBlobs = { blobs: new Map(), leftOut: [] };
  let hasLinks = true;
  try {
    const drafts = await inChunks(files, (file, at) =>
      draftOf(workspace, file, { link: `${scratch}/${at}`, mayChange }),
    );
    out.leftOut.push(...drafts.filter((one) => 'reason' in one));
    const ready = drafts.filter((one) => 'source' in one);
    hasLinks = ready.some(({ mode }) => mode === '120000');
    const ids = await hash(workspace, ready);
    await inChunks(ready, async (draft, at) => {
      const id = ids[at] ?? null;
      const now = await statOf(workspace, draft.file);
      if (id === null) out.leftOut.push(leftOut(draft.file, 'unreadable'));
      else if (now === null || !isSame(now, draft.stat)) out.leftOut.push(leftOut(draft.file, 'changing'));
      else out.blobs.set(draft.file, { mode: draft.mode, id });
    });
    return out;
  } finally {
    if (hasLinks) await rm(scratch, { recursive: true, force: true });
  }
}

async function draftOf(
  workspace: Workspace,
  file: BytePath,
  { link, mayChange }: { link: string; mayChange: boolean },
): Promise<Draft | LeftOut> {
  const place = placeOf(workspace, file);
  let stat = await statOf(workspace, file);
  if (stat === null) return leftOut(file, 'changing', 'it was gone before it could be read');
  if (stat.isSymbolicLink()) {
    await mkdir(path.dirname(link), { recursive: true, mode: 0o700 });
    await writeFile(link, await readlink(place, { encoding: 'buffer' }));
    return { file, mode: '120000', source: fromText(link), stat };
  }
  if (!stat.isFile()) return leftOut(file, 'changing', 'it is no file any more');
  if (stat.size > largestBytes) return leftOut(file, 'large', `${stat.size} bytes`);
  if (!(await canRead(place))) {
    if (mayChange) await chmod(place, Number(stat.mode & 0o7777n) | 0o400).catch(() => undefined);
    if (!(await canRead(place))) return leftOut(file, 'unreadable');
    stat = (await statOf(workspace, file)) ?? stat;
  }
  return { file, mode: (stat.mode & 0o100n) === 0n ? '100644' : '100755', source: file, stat };
}

/** Ids in the order of the drafts; null for those that git could not read. */
async function hash(workspace: Workspace, drafts: readonly Draft[]): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  for (let failures = 0; ids.length < drafts.length && failures < mostFailures; failures += 1) {
    const rest = drafts.slice(ids.length);
    const stdin = rest.map(({ source }) => `${quoted(source)}\n`).join('');
    const result = await treeGit(workspace, args, { stdin });
    ids.push(...linesOf(result.stdout).filter((line) => /^[0-9a-f]{40,64}$/.test(line)));
    if (result.timedOut) break;
    if (result.exitCode !== 0) ids.push(null); // it ends at the first that it cannot read
  }
  return ids; // what is missing counts as null
}

/** Runs over a list, some at once. */
export async function inChunks<In, Out>(
  all: readonly In[],
  each: (one: In, at: number) => Promise<Out>,
): Promise<Out[]> {
  const done: Out[] = [];
  for (let start = 0; start < all.length; start += atOnce) {
    const chunk = all.slice(start, start + atOnce);
    done.push(...(await Promise.all(chunk.map((one, at) => each(one, start + at)))));
  }
  return done;
}

function placeOf(workspace: Workspace, file: BytePath): Buffer {
  return bytesOf(`${fromText(workspace.path)}/${file}`);
}

async function statOf(workspace: Workspace, file: BytePath): Promise<BigIntStats | null> {
  return lstat(placeOf(workspace, file), { bigint: true }).catch(() => null);
}

async function canRead(place: Buffer): Promise<boolean> {
  return access(place, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  const keys = ['mode', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const;
  return keys.every((key) => one[key] === other[key]);
}
