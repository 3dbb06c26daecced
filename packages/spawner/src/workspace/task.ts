import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BatonError, printableLine, type Git } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';
import { importAgentHead, isRealFolder, moveAgentHead, writeAgentGit } from '../tree/agent-git.ts';
import type { AttemptKey } from '../tree/clone.ts';
import { namingDisk } from '../process/full-disk.ts';
import { mergeRange, type Conflicts, type Range } from './merge-range.ts';
import { resetForTask } from './reset.ts';
import { keepGitFolder } from '../salvage/git-folder.ts';
import { salvage } from '../salvage/salvage.ts';
import { beforeCommit, noteSettled } from '../salvage/settled.ts';
import { stageTree } from '../salvage/stage.ts';
import { regainRights } from '../tree/own-rights.ts';
import { saveState, type Workspace } from '../tree/workspace.ts';

/** How the next task of a batch begins. */
export interface StartTaskOptions {
  /** Commit that the task starts from: the target's current head. */
  head: string;
  /** Rejected work to continue from. */
  continueFrom?: Range | null;
  /** Work that conflicted with the target, to be laid with both sides where it still does. */
  conflicted?: Range | null;
  /** Attempt at work from now on; left out: the one that the workspace was acquired for. */
  owner?: AttemptKey;
  /** Lays set-up in a tree that was reset: a reset takes away what an earlier task changed of it. */
  setUp?: (workspace: Workspace) => Promise<void>;
}

/** Where a task began. */
export interface TaskStart {
  /** The head it was opened on. */
  baseCommit: string;
  /** Start of the task's commit range. */
  startCommit: string;
  /** Whether the rejected work could be taken over. */
  continued: boolean;
  /** What git left open in work that was given as conflicted; null: no such work was taken over. */
  conflicts: Conflicts | null;
}

/**
 * Sets the worktree for one task. Rejected work is merged onto the fresh head and lies there as a commit within the
 * task's range, so that the range holds old and new; where that conflicts, the task starts from the head alone. Only work that is given
 * as conflicted is laid all the same, with both sides of each conflict between markers (docs/spec/landing.md#conflicts).
 *
 * @throws WORKSPACE_FAILED, GIT_FAILED; what `setUp` throws
 */
export async function startTask(
  workspace: Workspace,
  { head, continueFrom = null, conflicted = null, owner, setUp }: StartTaskOptions,
): Promise<TaskStart> {
  const range = continueFrom ?? conflicted;
  const merged = range === null ? null : await mergeRange(workspace.clone, { head, range });
  const taken = merged?.isClean === true || continueFrom === null ? merged : null;
  const target = taken?.commit ?? head;
  if (workspace.state.unsaved !== null) {
    throw new BatonError(
      'WORKSPACE_FAILED',
      `The worktree ${workspace.path} holds work that could not be saved.`,
      {
        fix: 'It is set aside when the batch is over; `baton rescue` lists it.',
        at: workspace.path,
      },
    );
  }
  if (workspace.state.head !== target) {
    await resetForTask(workspace, target);
    await setUp?.(workspace);
  }
  saveState(workspace, { startCommit: head, ...(owner === undefined ? {} : { owner }) });
  return {
    ...{ baseCommit: head, startCommit: head, continued: taken !== null },
    conflicts: continueFrom === null ? (taken?.conflicts ?? null) : null,
  };
}

/** What {@link commitTask} commits, and how. */
export interface CommitTaskOptions {
  git: Git;
  /** Start of the task's range, as {@link startTask} gave it. */
  startCommit: string;
  message: string;
  /** For example `Task-Id`, `Attempt`, `Agent`, `Model`. */
  trailers: Readonly<Record<string, string>>;
  /** Date of the commit; left out: git's own time. */
  at?: Date;
}

/** One task's range: `startCommit..headCommit`. */
export interface TaskCommit {
  headCommit: string;
  /** Paths that differ between the range's ends. */
  changedPaths: string[];
  /** True: the tree is as it was at the start. */
  empty: boolean;
}

/**
 * Ends a task's range: commits what the agent left uncommitted (untracked files too, but not what set-up put there)
 * on top of its own commits. An agent that rewrote history, is on another branch or removed its git folder
 * changes nothing of that: the content of the tree is what counts, and the range begins where the task began.
 * The agent must be dead or wait for its next prompt.
 *
 * @throws WORKSPACE_FAILED when the tree itself is gone or the disk is full, WORK_NOT_COMMITTABLE with the files that git cannot hold,
 * GIT_FAILED
 */
export function commitTask(workspace: Workspace, options: CommitTaskOptions): Promise<TaskCommit> {
  return namingDisk(workspace.metaDir, () => commitNow(workspace, options));
}

async function commitNow(workspace: Workspace, options: CommitTaskOptions): Promise<TaskCommit> {
  const { clone } = workspace;
  const { git, startCommit } = options;
  regainRights(workspace);
  if (!isRealFolder(workspace.path)) {
    throw new BatonError(
      'WORKSPACE_FAILED',
      `The agent removed or replaced its worktree ${workspace.path}.`,
      {
        fix: 'The task is tried again from a fresh worktree. What it moved beside the former one is kept: `baton rescue` lists it.',
      },
    );
  }
  const mark = await beforeCommit(workspace);
  const hadGit = isRealFolder(workspace.gitDir);
  const { owner } = workspace.state;
  // Whatever replaced its git folder is in no commit and makes room for a new one.
  if (!hadGit && owner !== null && lstatSync(workspace.gitDir, { throwIfNoEntry: false }) !== undefined)
    await salvage(workspace, owner);
  const inGit = await keepGitFolder(workspace);
  const agentHead = await importAgentHead(workspace);
  const index = path.join(workspace.metaDir, 'commit-index');
  const descends = agentHead !== null && (await clone.isAncestor(startCommit, agentHead));
  // A history without common ancestor does not say that the agent took an ignored file or a submodule out: what is there stays tracked.
  const hasOwn = descends || (agentHead !== null && (await isRelated(clone, [startCommit, agentHead])));
  const from = hasOwn ? agentHead : workspace.state.head;
  const { tree, isSparse, isAll } = await stageTree(workspace, { index, from });
  const at = { cwd: clone.path };
  const treeOf = (rev: string) =>
    gitText(git, ['rev-parse', '--verify', '--end-of-options', `${rev}^{tree}`], at);

  const parent = descends ? agentHead : startCommit;
  const empty = tree === (await treeOf(startCommit));
  const headCommit = empty
    ? startCommit
    : tree === (await treeOf(parent))
      ? parent
      : await gitText(git, ['commit-tree', tree, '-p', parent, '-F', '-'], {
          ...at,
          stdin: withTrailers(options),
          env: dated(options.at),
        });

  // Baton's own index knows only what Baton wrote: git takes a file that it added for the bytes of a checkout.
  if (hadGit) moveAgentHead(workspace, headCommit, index);
  else writeAgentGit(workspace, headCommit, index);
  rmSync(index, { force: true });
  // What a sparse checkout took out is not there for the next task, so that one begins with a fresh tree.
  saveState(workspace, { head: isSparse ? null : headCommit });
  const isPlain =
    hadGit && isAll && agentHead === startCommit && inGit.ref === null && inGit.leftOut.length === 0;
  if (isPlain && mark !== null) noteSettled(workspace, { headCommit, mark });
  return { headCommit, changedPaths: empty ? [] : await clone.changedPaths(startCommit, headCommit), empty };
}

/** Whether two commits have a common ancestor. @throws GIT_FAILED */
async function isRelated(
  { git, path: cwd }: Workspace['clone'],
  commits: readonly string[],
): Promise<boolean> {
  const args = ['merge-base', ...commits];
  const found = await git(args, { cwd });
  if (found.exitCode === 0 || found.exitCode === 1) return found.exitCode === 0;
  throw gitFailure(args, found);
}

function dated(at: Date | undefined): Record<string, string> {
  if (at === undefined) return {};
  const date = `@${Math.floor(at.getTime() / 1000)} +0000`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

function withTrailers({ message, trailers }: CommitTaskOptions): string {
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${printableLine(value)}`);
  const title = printableLine(message) || 'Work of an agent';
  return `${title}\n\n${lines.join('\n')}\n`;
}
