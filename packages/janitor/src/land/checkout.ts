import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { commonFolder, finalRef, surelyElsewhere } from './git-folders.ts';

/** The folder of the worktree that has the branch checked out, or null. A worktree whose folder is gone counts as none. @throws GIT_FAILED */
export async function checkedOutAt(
  git: Git,
  options: { repo: string; target: string },
): Promise<string | null> {
  return (await checkoutsOf(git, options))[0] ?? null;
}

/** The folders of all worktrees that have the branch, or the one that it leads to, checked out: more than one where a person forced it. @throws GIT_FAILED */
export async function checkoutsOf(git: Git, options: { repo: string; target: string }): Promise<string[]> {
  return (await allCheckoutsOf(git, options)).there;
}

/**
 * {@link checkoutsOf}, and the folders of locked worktrees that are not there: the lock says that they come back, as from a disk that is not
 * mounted. @throws GIT_FAILED
 */
export async function allCheckoutsOf(
  git: Git,
  options: { repo: string; target: string },
): Promise<{ there: string[]; away: string[] }> {
  const ref = await finalRef(git, { repo: options.repo, ref: branchRef(options.target) });
  const found: { there: string[]; away: string[] } = { there: [], away: [] };
  if (surelyElsewhere(await commonFolder(git, options.repo), ref)) return found;
  const list = await gitText(git, ['worktree', 'list', '--porcelain', '-z'], { cwd: options.repo });
  for (const record of list.split('\0\0')) {
    const lines = record.split('\0');
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (folder === undefined || !lines.includes(`branch ${ref}`)) continue;
    if (await isFolder(folder))
      found.there.push(await workingTree(git, { repo: options.repo, listed: folder }));
    else if (lines.some((line) => /^locked( |$)/.test(line))) found.away.push(folder);
  }
  return found;
}

/**
 * Git lists the git folder itself in place of the main working tree where it lies elsewhere: as of a submodule, or with
 * `--separate-git-dir`. That folder may name its tree; else the repository was opened by it.
 */
async function workingTree(git: Git, { repo, listed }: { repo: string; listed: string }): Promise<string> {
  if (await exists(join(listed, '.git'))) return listed;
  for (const cwd of [listed, repo]) {
    const [tree = '', own, common] = (
      await git(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'], {
        cwd,
      })
    ).stdout.split('\n');
    if (tree !== '' && own !== undefined && own === common) return tree;
  }
  return listed;
}

/**
 * Whether tracked files of a worktree differ from its head, without refreshing its index. Changes inside a submodule do not count:
 * nothing here writes there. @throws GIT_FAILED
 */
export async function isDirty(git: Git, worktree: string): Promise<boolean> {
  const args = [
    '--no-optional-locks',
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
  ];
  // What looks edited to the repository's settings alone may be what the user's own settings make of a file.
  if ((await gitText(git, args, { cwd: worktree })) === '') return false;
  return (await gitText(git, args, { cwd: worktree, userFiles: true })) !== '';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
