import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';
import { BatonError, shellWord, type Git } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { allCheckoutsOf } from './checkout.ts';
import { commonFolder, finalRef, gitFolders, textOf } from './git-folders.ts';

/**
 * What a person does with a branch that keeps others from moving it: an operation of git that is not finished, and the worktree that it was
 * begun in; a second worktree that has the branch checked out, beside the first; a locked one that has it and is not there; or a setting, in
 * `file`, that calls a repository bare which has a checkout of it.
 */
export type TargetUse =
  | UnfinishedUse
  | { operation: 'checkout'; worktree: string; beside: string }
  | { operation: 'away'; worktree: string }
  | { operation: 'bare'; worktree: string; file: string };

interface UnfinishedUse {
  operation: Operation;
  worktree: string;
}

type Operation = 'rebase' | 'am' | 'bisect' | 'merge' | 'cherry-pick' | 'revert';

/** Files of a git folder that show an operation on the branch that is checked out there; the first that exists decides. */
const onHead: readonly (readonly [file: string, operation: Operation])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/rebasing', 'rebase'],
  ['rebase-apply', 'am'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** The names to look for where a worktree's HEAD is on the target, e.g. by a hook. */
export const unfinishedFiles: readonly string[] = ['sequencer', ...onHead.map(([file]) => file)];

/**
 * The operation of git that a branch is in the middle of, in any worktree, or null. A rebase and a bisect detach HEAD, so their own
 * records name the branch. A branch that is checked out twice counts as well: git moves the files of one worktree only, and in the
 * other all that landed looks taken back. So would it in a locked one that is not there, once it is back; one that is not locked and whose
 * folder is gone counts as none, and so does a remote repository.
 * Where `core.bare` hides a checkout, git would move the branch and leave its files and index as they are.
 * @throws GIT_FAILED
 */
export async function targetUse(
  git: Git,
  options: { repo: string; target: string },
): Promise<TargetUse | null> {
  const ref = await finalRef(git, { repo: options.repo, ref: branchRef(options.target) });
  const common = await commonFolder(git, options.repo);
  for (const folder of gitFolders(common)) {
    const operation = operationOn(ref, { folder, common });
    if (operation === null) continue;
    const worktree = worktreeOf(folder, { common, repo: options.repo });
    if (existsSync(worktree)) return { operation, worktree };
  }
  const hidden = await hiddenCheckout(git, { ref, common });
  if (hidden !== null) return hidden;
  const { there, away } = await allCheckoutsOf(git, options);
  const [beside, worktree] = there;
  if (beside !== undefined && worktree !== undefined) return { operation: 'checkout', worktree, beside };
  const [missing] = away;
  return missing === undefined ? null : { operation: 'away', worktree: missing };
}

/**
 * The rebase or bisect that has taken the branch off the HEAD of a worktree, or null: HEAD is on a branch, or a person detached it.
 * @throws GIT_FAILED
 */
export async function detachedBy(
  git: Git,
  options: { repo: string },
): Promise<(UnfinishedUse & { branch: string }) | null> {
  const asked = await git(['rev-parse', '--absolute-git-dir'], { cwd: options.repo });
  if (asked.exitCode !== 0)
    throw new BatonError('GIT_FAILED', `git rev-parse failed: ${asked.stderr.trim()}`, { at: options.repo });
  const folder = asked.stdout.trim();
  const first = (name: string): string => (textOf(join(folder, name)) ?? '').split('\n')[0]?.trim() ?? '';
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const branch = first(file).replace(/^refs\/heads\//, '');
    if (branch !== '') return { operation: 'rebase', worktree: options.repo, branch };
  }
  const branch = first('BISECT_START');
  return branch === '' ? null : { operation: 'bisect', worktree: options.repo, branch };
}

/** What is under way and how a person ends it: two sentences. */
export function useText(target: string, use: TargetUse): { what: string; fix: string } {
  const { operation, worktree } = use;
  if (operation === 'checkout')
    return {
      what: `${target} is checked out in two worktrees, ${use.beside} and ${worktree}.`,
      fix: `Take one of them off the branch, e.g. with \`git -C ${shellWord(worktree)} switch --detach\`.`,
    };
  if (operation === 'away')
    return {
      what: `${target} is checked out in ${worktree}, which is locked and not there: its files would be those of before once it is back.`,
      fix: `Bring it back, as by mounting its disk; if it is gone for good, say so in the repository with \`git worktree unlock ${shellWord(worktree)}\`.`,
    };
  if (operation === 'bare')
    return {
      what: `${target} is checked out in ${worktree}, but core.bare in ${use.file} says that the repository is bare: git would not move the files there, and the next commit would take back what landed.`,
      fix: `Say that it has a checkout: \`git config --file ${shellWord(use.file)} core.bare false\`; if it is bare for good, remove ${join(worktree, '.git', 'index')}.`,
    };
  const name = operation === 'am' ? '`git am`' : `a ${operation}`;
  const there = `git -C ${shellWord(worktree)}`;
  const run = (act: string): string => `\`${there} ${operation} ${act}\``;
  return {
    what: `${target} is in the middle of ${name} in ${worktree}.`,
    fix:
      operation === 'bisect'
        ? `End it with ${run('reset')}.`
        : `Finish it with ${run('--continue')}, or undo it with ${run('--abort')}.`,
  };
}

/**
 * Refuses a branch on which a person's operation is not finished, or that is checked out twice.
 * @throws TARGET_IN_USE, GIT_FAILED
 */
export async function refuseInUse(git: Git, options: { repo: string; target: string }): Promise<void> {
  const use = await targetUse(git, options);
  if (use === null) return;
  const { what, fix } = useText(options.target, use);
  throw new BatonError('TARGET_IN_USE', what, { at: use.worktree, fix });
}

function operationOn(ref: string, { folder, common }: { folder: string; common: string }): Operation | null {
  const lines = (name: string): string[] => (textOf(join(folder, name)) ?? '').trim().split('\n');
  for (const file of ['rebase-merge/head-name', 'rebase-merge/update-refs', 'rebase-apply/head-name'])
    if (lines(file).includes(ref)) return 'rebase';
  const [begunOn = ''] = lines('BISECT_START');
  if (`refs/heads/${begunOn}` === ref) return 'bisect';
  if (!isHead(ref, { folder, common })) return null;
  for (const [file, operation] of onHead) if (existsSync(join(folder, file))) return operation;
  if (!existsSync(join(folder, 'sequencer'))) return null;
  return lines('sequencer/todo').some((line) => line.startsWith('revert ')) ? 'revert' : 'cherry-pick';
}

/** The main worktree, if it has the branch checked out by its HEAD and index while a setting calls the repository bare; else null. */
async function hiddenCheckout(
  git: Git,
  { ref, common }: { ref: string; common: string },
): Promise<TargetUse | null> {
  if (basename(common) !== '.git' || !isHead(ref, { folder: common, common })) return null;
  if (!existsSync(join(common, 'index'))) return null;
  const asked = ['config', '--null', '--show-origin', '--type=bool', '--get', 'core.bare'];
  const { exitCode, stdout } = await git(asked, { cwd: common });
  const [origin = '', isBare] = stdout.split('\0');
  if (exitCode !== 0 || isBare !== 'true') return null;
  const file = resolvePath(common, origin.replace(/^file:/, ''));
  return { operation: 'bare', worktree: dirname(common), file };
}

/** Whether HEAD of a git folder is a branch, also through a symbolic one. */
function isHead(ref: string, { folder, common }: { folder: string; common: string }): boolean {
  const named = (file: string): string | undefined => /^ref: (\S+)\n?$/.exec(textOf(file) ?? '')?.[1];
  const branch = named(join(folder, 'HEAD'));
  return branch !== undefined && (branch === ref || named(join(common, branch)) === ref);
}

function worktreeOf(folder: string, { common, repo }: { common: string; repo: string }): string {
  if (folder !== common) return dirname(resolvePath(folder, (textOf(join(folder, 'gitdir')) ?? '').trim()));
  return basename(common) === '.git' ? dirname(common) : repo;
}
