import { lstat, mkdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '@baton/contracts';
import { quotedBytes, quotingNames } from '../printed-name.ts';
import { gitText } from '../run-git.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { keyOf, submoduleMode, type EntryChange, type TreeEntry } from './tree-change.ts';
import { placeOf, statOf, untrackedAt, type Ground } from './untracked.ts';

/** A move from one tree to another that may have been cut off, and the checkout that it was to change. */
export interface HalfMove {
  ground: Ground;
  from: string;
  to: string;
}

/**
 * Whether all that lies at some paths of a move is what git itself writes there, byte by byte and with its mode: nothing, the file of either
 * tree as this checkout converts it, or the beginning of the new one, which was cut off. Anything else is a person's: another content, a
 * file in place of a folder, a folder with files of their own, a repository.
 * @throws GIT_FAILED
 */
export async function areOurs(
  git: Git,
  { changes, ...move }: HalfMove & { changes: readonly EntryChange[] },
): Promise<boolean> {
  const { ground } = move;
  const files: EntryChange[] = [];
  for (const change of changes) {
    const key = keyOf(change.path);
    const isFolder = (change.before ?? change.after)?.mode === submoduleMode;
    if ((await untrackedAt(ground, key, { isFolder })).length > 0) return false;
    const found = await statOf(ground, key);
    if (found !== null && !found.isDirectory()) files.push(change);
  }
  if (files.length === 0) return true;
  const folder = await makeTemporaryFolder('baton-versions-');
  try {
    const [before, after] = [join(folder, 'before'), join(folder, 'after')];
    const { cwd } = ground;
    await layFiles(git, { cwd, tree: move.from, into: before, files: entriesOf(files, 'before') });
    await layFiles(git, { cwd, tree: move.to, into: after, files: entriesOf(files, 'after') });
    const hasModes = await keepsModes(git, cwd);
    for (const { path } of files) {
      const key = keyOf(path);
      const there = await contentAt(placeOf(ground, key), { hasModes });
      const old = await contentAt(placeOf({ worktree: before }, key), { hasModes });
      const made = await contentAt(placeOf({ worktree: after }, key), { hasModes });
      if (there === null || !(isSame(there, old) || isSame(there, made) || isCutOff(there, made)))
        return false;
    }
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface File {
  path: Buffer;
  entry: TreeEntry;
}

const entriesOf = (changes: readonly EntryChange[], side: 'before' | 'after'): File[] =>
  changes.flatMap(({ path, [side]: entry }) =>
    entry === null || entry.mode === submoduleMode ? [] : [{ path, entry }],
  );

/** Writes files as a checkout of the tree has them, by its attributes and the user's settings. One that a filter fails for is left out. */
async function layFiles(
  git: Git,
  options: { cwd: string; tree: string; into: string; files: readonly File[] },
): Promise<void> {
  const { cwd, tree, into, files } = options;
  await mkdir(into);
  const env = { GIT_INDEX_FILE: `${into}.index`, GIT_WORK_TREE: into };
  const list = [...quotingNames, 'ls-tree', '-r', '--full-tree', tree];
  const attributes = (await gitText(git, list, { cwd }))
    .split('\n')
    .filter((line) => /^100\d{3} blob \S+\t"?(.*\/)?\.gitattributes"?$/.test(line));
  const lines = files.map(({ path, entry }) => `${entry.mode} ${entry.id}\t${quotedBytes(path)}`);
  const settings = ['-c', 'core.splitIndex=false', '-c', 'core.sparseCheckout=false'];
  await gitText(git, [...settings, 'update-index', '--index-info'], {
    ...{ cwd, env },
    stdin: [...attributes, ...lines, ''].join('\n'),
  });
  await git([...settings, 'checkout-index', '--all', '--force', '--quiet'], { cwd, env, userFiles: true });
}

interface Content {
  bytes: Buffer;
  /** What besides the bytes is kept of a file; of a link, that it is one. */
  mode: string;
}

/** A file or link; null: there is none, or it cannot be read. */
async function contentAt(place: Buffer, { hasModes }: { hasModes: boolean }): Promise<Content | null> {
  try {
    const found = await lstat(place);
    if (found.isSymbolicLink()) return { bytes: await readlink(place, { encoding: 'buffer' }), mode: 'link' };
    if (!found.isFile()) return null;
    const mode = hasModes && (found.mode & 0o100) !== 0 ? 'program' : 'file';
    return { bytes: await readFile(place), mode };
  } catch {
    return null;
  }
}

const isSame = (there: Content, version: Content | null): boolean =>
  there.mode === version?.mode && there.bytes.equals(version.bytes);

const isCutOff = (there: Content, made: Content | null): boolean =>
  there.mode !== 'link' &&
  there.mode === made?.mode &&
  made.bytes.subarray(0, there.bytes.length).equals(there.bytes);

async function keepsModes(git: Git, cwd: string): Promise<boolean> {
  const args = ['config', '--type=bool', '--get', 'core.fileMode'];
  return (await git(args, { cwd })).stdout.trim() !== 'false';
}
