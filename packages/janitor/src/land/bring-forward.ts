import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { shellWord, type Git } from '@baton/contracts';
import { gitFailed } from '../run-git.ts';
import { checkoutsOf } from './checkout.ts';
import { filesInTheWay } from './files-in-the-way.ts';
import { takeBack } from './forward-checkout.ts';
import { commonFolder, gitFolders } from './git-folders.ts';
import { hiddenChanges } from './hidden-changes.ts';
import { repairCheckout } from './repair-checkout.ts';

const switchMs = 2_000;
const pollMs = 20;

/** A branch that was moved while no worktree had it checked out. */
export interface MovedBranch {
  repo: string;
  target: string;
  from: string;
  to: string;
  /** True: the process that moved it died, maybe while it brought a worktree forward. */
  isLeft?: boolean;
}

/**
 * Looks again after a branch was moved by its ref alone: a person may have switched to it between the look at the worktrees and the
 * move, so that their files are those of the former head and a commit there would take back what landed. Such a worktree is brought
 * forward where nothing of theirs is in the way.
 *
 * @returns folders of worktrees that had to be left with the files of the former head
 * @throws GIT_FAILED
 */
export async function bringForward(git: Git, moved: MovedBranch): Promise<string[]> {
  await switchesOver(await commonFolder(git, moved.repo));
  const left: string[] = [];
  for (const worktree of await checkoutsOf(git, moved))
    if (!(await bring(git, { ...moved, worktree }))) left.push(worktree);
  return left;
}

/** Git holds the lock of an index while it switches, and names the new branch in HEAD just after; a lock that stays is no switch. */
async function switchesOver(common: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < switchMs; waitedMs += pollMs) {
    const locks = gitFolders(common).map((folder) => exists(join(folder, 'index.lock')));
    if (!(await Promise.all(locks)).includes(true)) return;
    await delay(pollMs);
  }
}

/** Whether the worktree has the files of the new head; one that a person has since changed, or switched to it later, is left as it is. */
async function bring(git: Git, options: MovedBranch & { worktree: string }): Promise<boolean> {
  const { worktree: cwd, from, to } = options;
  const isAt = async (commit: string): Promise<boolean> =>
    (await git(['diff-index', '--cached', '--quiet', '--ignore-submodules=none', commit, '--'], { cwd }))
      .exitCode === 0;
  if (await isAt(to)) return true;
  const half = { worktree: cwd, from, to, head: to };
  if (options.isLeft === true) {
    // A person works there on the new head.
    if (!(await isAt(from))) return true;
    if ((await repairCheckout(git, half)) === 'left') return false;
  }
  // Brings times up to date, so that what was only touched is no change; what was changed is found below.
  await git(['update-index', '-q', '--refresh'], { cwd, userFiles: true });
  const isUnchanged =
    (await git(['diff-files', '--quiet', '--ignore-submodules=dirty'], { cwd, userFiles: true })).exitCode ===
    0;
  if (!(await isAt(from)) || !isUnchanged) return false;
  if ((await filesInTheWay(git, options)).length + (await hiddenChanges(git, options)).length > 0)
    return false;
  const args = ['-c', 'submodule.recurse=false', 'read-tree', '-m', '-u', from, to];
  // Killed half-way, it would leave the files of both.
  const result = await git(args, { cwd, userFiles: true, finishes: true });
  if (result.exitCode === 0) return true;
  if (result.exitCode === null) throw gitFailed(args, result);
  await takeBack(git, half);
  return false;
}

/** What a person should know of a worktree that was left behind its branch, and how the two come together again: two sentences. */
export function behindText(
  target: string,
  { worktree, from }: { worktree: string; from: string },
): { what: string; fix: string } {
  const there = `git -C ${shellWord(worktree)} switch`;
  return {
    what: `${worktree} was switched to ${target} while it moved, and could not be brought forward: its files are those of ${from.slice(0, 9)}, and a commit there would take back what landed.`,
    fix: `Take it off the branch with \`${there} --detach ${from.slice(0, 9)}\`, save the changes there, then return with \`${there} ${shellWord(target)}\`.`,
  };
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
