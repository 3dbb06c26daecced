import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { ExecResult } from '@baton/contracts';
import { gitFailure } from '../git/git.ts';
import type { AttemptKey, Clone } from './clone.ts';
import { heldCommit, indexIn } from './held-commit.ts';
import type { LeftOut } from './left-out.ts';

/** What is remembered of a workspace between processes. */
export interface WorkspaceState {
  /** Attempt at work in it; null: no attempt's work is in it. */
  owner: AttemptKey | null;
  /** Commit that the current task started from. */
  startCommit: string | null;
  /** Commit that the tree was last set to, or that its content was last committed as. */
  head: string | null;
  /** What set-up was last run for, and what it left in the tree. */
  setupKey: string | null;
  setupPaths: string[];
  /** Files copied in at each set-up. */
  copied: string[];
  /** Signature of the source of each copied cache. */
  caches: Record<string, string>;
  /** Digest of the submodules as set-up left them; null: it initialised none. */
  submodules: string | null;
  /** Why the tree holds work that is nowhere else: it is never reset then, but set aside; null: it does not. */
  unsaved: { why: string; leftOut: LeftOut[] } | null;
  /** Names, in bytes, that lay beside the tree when it was handed out and are not Baton's. */
  beside: string[];
}

/**
 * A working tree with a git repository of its own that borrows its objects from Baton's clone. Settings, hooks,
 * branches and stashes that an agent makes exist in it alone; Baton's own git calls use the clone's settings and an
 * index outside the tree, and copy what is to stay into the clone.
 */
export interface Workspace {
  /** Absolute path of the working tree. */
  readonly path: string;
  /** Absolute path of the tree's own git folder: what an agent's git commands see. */
  readonly gitDir: string;
  /** Folder outside the tree for task files. */
  readonly taskFileDir: string;
  /** First of ten TCP ports that are this workspace's alone. */
  readonly portBase: number;
  readonly clone: Clone;
  /** Folder of Baton's own records about this workspace. */
  readonly metaDir: string;
  readonly state: WorkspaceState;
}

/** A workspace whose tree is still unused. */
export const emptyState: WorkspaceState = {
  owner: null,
  startCommit: null,
  head: null,
  setupKey: null,
  setupPaths: [],
  copied: [],
  caches: {},
  submodules: null,
  unsaved: null,
  beside: [],
};

/** Baton's own index of a workspace. */
export function indexFile(workspace: Workspace): string {
  return indexIn(workspace.metaDir);
}

/**
 * Copies an index with its time. Git reads a file's content again when it may have changed in the same second in
 * which the index was written, and it judges by the time of the index: a newer copy would hide such changes.
 */
export function copyIndex(from: string, to: string): void {
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to);
  setTime(to, mtimeMs);
}

/**
 * Makes an index that starts as a copy of Baton's own and holds what a commit holds. Entries that stay the same keep
 * what is known of their files, so that they are not read again. Nothing in the tree is opened: git would wait at a
 * pipe in place of its attributes file. The time is kept for the reason that {@link copyIndex} keeps it. Null: nothing had to be read,
 * because no commit is given or Baton's own index holds it.
 */
export async function indexOf(
  workspace: Workspace,
  { from, index }: { from: string | null; index: string },
): Promise<ExecResult | null> {
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true }); // a git that was killed leaves its lock
  const own = indexFile(workspace);
  const hasOwn = existsSync(own);
  if (hasOwn) copyIndex(own, index);
  if (from === null || (hasOwn && heldCommit(workspace) === from)) return null;
  const read = await treeGit(workspace, ['read-tree', '-i', '-m', from], { index, tree: workspace.metaDir });
  if (hasOwn) setTime(index, statSync(own).mtimeMs);
  return read;
}

function setTime(file: string, mtimeMs: number): void {
  utimesSync(file, Math.floor(mtimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}

/** Exclude patterns for what set-up put into the tree. */
export function excludeFile(workspace: Workspace): string {
  return path.join(workspace.metaDir, 'exclude');
}

/** Whose work is in a worktree whose record is lost. */
export const unknownOwner: AttemptKey = { taskId: 'unknown', fence: 0 };

/** Reads the state of a workspace that holds no agent's work; an unreadable one counts as new. */
export function readState(metaDir: string): WorkspaceState {
  return readRecord(metaDir) ?? { ...emptyState };
}

/**
 * Reads the state of an agent's workspace. One whose record is lost (a crash or a full disk left it empty or cut) counts as work of
 * {@link unknownOwner} that is nowhere else.
 *
 * @throws what the file system says of a record that is there and cannot be read now
 */
export function readOwnedState(metaDir: string): WorkspaceState {
  const lost = { why: 'the record of whose work is in it cannot be read', leftOut: [] };
  return readRecord(metaDir) ?? { ...emptyState, owner: unknownOwner, unsaved: lost };
}

/** Null: a tree is there, and its record is not, or is none. */
function readRecord(metaDir: string): WorkspaceState | null {
  const text = readText(path.join(metaDir, 'state.json'));
  if (text === null) return existsSync(path.join(metaDir, '../tree')) ? null : { ...emptyState };
  try {
    const read: unknown = JSON.parse(text);
    const isRecord = typeof read === 'object' && read !== null && 'owner' in read;
    return isRecord ? { ...emptyState, ...(read as WorkspaceState) } : null;
  } catch {
    return null;
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') return '';
    if (['ENOENT', 'ENOTDIR'].includes(code)) return null;
    throw error;
  }
}

/** Changes and writes the state, so that a crash at any point leaves the old or the new one. */
export function saveState(workspace: Workspace, change: Partial<WorkspaceState>): void {
  Object.assign(workspace.state, change);
  mkdirSync(workspace.metaDir, { recursive: true });
  const file = path.join(workspace.metaDir, 'state.json');
  writeFileSync(`${file}.new`, JSON.stringify(workspace.state));
  renameSync(`${file}.new`, file);
}

/** How {@link treeGit} differs from the usual. */
export interface TreeGitOptions {
  /** Other index than Baton's own of the workspace. */
  index?: string;
  /** Other folder than the whole tree, for repositories nested in it. */
  tree?: string;
  stdin?: string;
  /** Further variables. */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds; three minutes when left out. */
  timeoutMs?: number;
}

/** Runs git on the tree with the clone's settings and Baton's index: nothing that lies in the tree's own git folder counts. */
export function treeGit(
  workspace: Workspace,
  args: readonly string[],
  options: TreeGitOptions = {},
): Promise<ExecResult> {
  const tree = options.tree ?? workspace.path;
  const own = [
    '--git-dir',
    workspace.clone.path,
    '--work-tree',
    tree,
    '-c',
    `core.excludesFile=${excludeFile(workspace)}`,
  ];
  return workspace.clone.git([...own, ...args], {
    cwd: tree,
    env: { ...options.env, GIT_INDEX_FILE: options.index ?? indexFile(workspace) },
    timeoutMs: options.timeoutMs ?? 3 * 60_000,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
}

/** {@link treeGit} for what must succeed. @throws GIT_FAILED */
export async function treeGitText(
  workspace: Workspace,
  args: readonly string[],
  options: TreeGitOptions = {},
): Promise<string> {
  const result = await treeGit(workspace, args, options);
  if (result.exitCode === 0 && !result.truncated) return result.stdout.replace(/\n$/, '');
  throw gitFailure(args, result);
}

/** Splits NUL-separated output. */
export function nulList(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}
