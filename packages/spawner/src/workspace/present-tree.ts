import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { AttemptKey, Clone } from '../tree/clone.ts';
import { fromText, quoted } from '../tree/byte-path.ts';
import { keptPaths } from '../salvage/set-up-files.ts';
import { walkTree } from '../tree/walk-tree.ts';
import { copyIndex, indexFile, readState, treeGit, type Workspace } from '../tree/workspace.ts';

/** Git is given this long: what takes longer is not worth the look. */
const longestMs = 15_000;
const mostFiles = 200_000;
const mostRepositories = 32;

/** What a worktree holds at a moment at which its agent is at work. */
export interface PresentTree {
  /** The attempt whose work it is. */
  owner: AttemptKey;
  /** Commit that the work began from. */
  startCommit: string;
  /** Id of the tree; its new objects are in the folder of objects that was given. */
  tree: string;
}

/** Where {@link presentTree} looks, and where it writes. */
export interface PresentTreeOptions {
  clone: Clone;
  /** Absolute path of the worktree, in a slot of a pool of this clone. */
  worktree: string;
  /** Folder of the caller's own: the index of the look is made there. */
  scratch: string;
  /** {@link asideObjects} */
  env: Readonly<Record<string, string>>;
}

/**
 * Variables that make git write new objects into a folder of its own and read those of a clone as well: what is only looked at leaves
 * nothing in the clone.
 *
 * @param folder Absolute path; made where it is missing.
 */
export function asideObjects(clone: Pick<Clone, 'path'>, folder: string): Record<string, string> {
  mkdirSync(path.join(folder, 'pack'), { recursive: true, mode: 0o700 });
  const objects = path.join(clone.path, 'objects').replaceAll(/["\\]/g, '\\$&');
  // Quoted: a colon would separate two folders.
  return { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects}"` };
}

/**
 * The tree that a worktree would be committed as at this moment, as nearly as can be known without a write to the worktree, its git folder
 * or the clone: tracked and untracked files by the patterns of the repository, without nested repositories and without what set-up made. The
 * agent works on at the same time, so this may be a state between two of its edits.
 *
 * @returns null where nothing can be said: no attempt is at work there, the worktree went to another one in between, it is too large,
 * holds what git would wait for or cannot read, or its agent has taken files out of it by a sparse checkout
 */
export async function presentTree(options: PresentTreeOptions): Promise<PresentTree | null> {
  const workspace = lookedAt(options);
  const { owner, startCommit } = workspace.state;
  if (owner === null || startCommit === null || !existsSync(indexFile(workspace))) return null;
  if (existsSync(path.join(workspace.gitDir, 'info/sparse-checkout'))) return null;
  const apart = await repositoriesIn(workspace);
  const tree = apart === null ? null : await treeNow(workspace, { ...options, apart });
  const after = readState(workspace.metaDir);
  const isSame =
    after.owner?.taskId === owner.taskId &&
    after.owner.fence === owner.fence &&
    after.startCommit === startCommit;
  return tree !== null && isSame ? { owner, startCommit, tree } : null;
}

function lookedAt({ clone, worktree }: PresentTreeOptions): Workspace {
  const slot = path.dirname(worktree);
  const metaDir = path.join(slot, 'meta');
  return {
    path: worktree,
    gitDir: path.join(worktree, '.git'),
    taskFileDir: path.join(slot, 'task'),
    portBase: 0,
    clone,
    metaDir,
    state: readState(metaDir),
  };
}

/** Nested repositories, which are no part of the look; null: git would wait at something, or cannot read all. */
async function repositoriesIn(workspace: Workspace): Promise<string[] | null> {
  const skip = new Set(keptPaths(workspace).map((file) => fromText(file.replace(/\/$/, ''))));
  const walked = await walkTree(workspace.path, { skip, limit: mostFiles, mayChange: false }).catch(
    () => null,
  );
  if (walked === null || walked.special.length > 0 || walked.unreached.length > 0) return null;
  return walked.repositories.length > mostRepositories ? null : walked.repositories;
}

async function treeNow(
  workspace: Workspace,
  { scratch, env, apart }: PresentTreeOptions & { apart: readonly string[] },
): Promise<string | null> {
  const index = path.join(scratch, 'index');
  const at = { index, env, timeoutMs: longestMs };
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  copyIndex(indexFile(workspace), index);
  const specs = ['.', ...apart.map((root) => `:(exclude,literal)${root}`)];
  const stdin = specs.map((spec) => `${quoted(spec)}\n`).join('');
  const added = await treeGit(workspace, ['add', '--all', '--pathspec-from-file=-'], { ...at, stdin });
  if (added.exitCode !== 0) return null;
  const written = await treeGit(workspace, ['write-tree'], at);
  return written.exitCode === 0 ? written.stdout.trim() : null;
}
