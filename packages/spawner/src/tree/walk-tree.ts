import { chmodSync, lstatSync, readdirSync, type BigIntStats, type Dirent } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { bytesOf, fromBytes, fromText, type BytePath } from './byte-path.ts';
import { mountsIn } from './mounts.ts';

const mostEntries = 1_000_000;
const longestPathBytes = 3_800;
/** Few enough to hold nothing else up: a question of its own for each costs more than the answer. */
const foldersAtOnce = 16;

/** Everything below a folder, by reading folders alone: nothing is opened, no link is followed. */
export interface WalkedTree {
  /** Files and links; those in the git folder of a nested repository are listed apart. */
  files: Map<BytePath, 'file' | 'link'>;
  /** Files and links in the git folders of nested repositories. */
  gitFiles: Map<BytePath, 'file' | 'link'>;
  /** Folders that hold a `.git`, without a slash at their end; those further out come first. */
  repositories: BytePath[];
  /** Pipes, sockets and devices. */
  special: BytePath[];
  /** Folders without entries, outside of git folders. */
  empty: BytePath[];
  /** Folders that could not be looked into, with the reason. */
  unreached: { file: BytePath; why: string }[];
}

/** How {@link walkTree} walks. */
export interface WalkOptions {
  /** Folders below the root that are not entered, as byte paths without a slash at their end. */
  skip?: ReadonlySet<BytePath>;
  /** Entries after which it gives up; one million when left out. */
  limit?: number;
  /** Whether folders that deny us may be opened by a change of their mode. */
  mayChange: boolean;
}

/**
 * Walks a folder, its own `.git` left out. Folders on another file system, with a path longer than system calls take
 * or beyond the limit are named instead of being entered.
 */
export async function walkTree(root: string, options: WalkOptions): Promise<WalkedTree> {
  const found: WalkedTree = {
    files: new Map(),
    gitFiles: new Map(),
    repositories: [],
    special: [],
    empty: [],
    unreached: [],
  };
  const mounts = new Set(mountsIn(root));
  const top = fromText(root);
  const { dev } = lstatSync(root, { bigint: true });
  const limit = options.limit ?? mostEntries;
  const folders: { file: BytePath; inGit: boolean }[] = [{ file: '', inGit: false }];
  let [seen, looked] = [0, 0];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { file, inGit } = folder;
    if (file !== '' && mounts.has(file)) {
      found.unreached.push({ file, why: 'something is mounted there' });
      continue;
    }
    if ((looked += 1) % foldersAtOnce === 0) await setImmediate();
    const read = readFolder(file === '' ? top : `${top}/${file}`, {
      dev,
      mayChange: options.mayChange,
    });
    if (!Array.isArray(read)) {
      found.unreached.push({ file, why: read.why });
      continue;
    }
    if (read.length === 0 && file !== '' && !inGit) found.empty.push(file);
    seen += read.length;
    if (seen > limit) {
      found.unreached.push({ file, why: `more than ${limit} files` });
      break;
    }
    for (const { name, kind } of read) {
      const child = file === '' ? name : `${file}/${name}`;
      if (name === '.git' && file === '' && kind === 'folder') continue;
      if (name === '.git' && file !== '' && !inGit) found.repositories.push(file);
      const isGit = inGit || (name === '.git' && file !== '');
      if (kind === 'special') found.special.push(child);
      else if (kind !== 'folder') (isGit ? found.gitFiles : found.files).set(child, kind);
      else if (options.skip?.has(child) !== true) folders.push({ file: child, inGit: isGit });
    }
  }
  found.repositories.sort((one, other) => depthOf(one) - depthOf(other));
  return found;
}

/** Removes pipes, sockets and devices: they hold nothing, and opening one may block without end. */
export async function removeSpecial(root: string, special: readonly BytePath[]): Promise<void> {
  for (const file of special) await unlink(bytesOf(`${fromText(root)}/${file}`));
}

const depthOf = (file: BytePath) => file.split('/').length;

interface Child {
  name: BytePath;
  kind: 'file' | 'link' | 'folder' | 'special';
}

function readFolder(
  file: BytePath,
  { dev, mayChange }: { dev: bigint; mayChange: boolean },
): Child[] | { why: string } {
  if (file.length > longestPathBytes) return { why: 'its path is too long' };
  const bytes = bytesOf(file);
  try {
    const stat = lstatSync(bytes, { bigint: true });
    if (!stat.isDirectory()) return { why: 'it changed while it was read' };
    if (stat.dev !== dev) return { why: 'it is on another file system' };
    if (mayChange) openUp(bytes, stat);
    const children = readdirSync(bytes, { withFileTypes: true, encoding: 'buffer' });
    return children.map((child) => ({ name: fromBytes(child.name), kind: kindOf(child) }));
  } catch (error) {
    return { why: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}

/** Our own folder whose owner has no rights in it: an agent may have taken them away. */
function openUp(folder: Buffer, stat: BigIntStats): void {
  if ((stat.mode & 0o700n) === 0o700n) return;
  try {
    chmodSync(folder, Number(stat.mode & 0o7777n) | 0o700);
  } catch {
    // another user's: then readdir decides
  }
}

function kindOf(child: Dirent<Buffer>): Child['kind'] {
  if (child.isFile()) return 'file';
  if (child.isSymbolicLink()) return 'link';
  return child.isDirectory() ? 'folder' : 'special';
}
