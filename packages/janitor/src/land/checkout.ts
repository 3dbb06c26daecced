import { stat } from 'node:fs/promises';
import type { Git } from '@baton/contracts';
import { branchRef } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { commonFolder, surelyElsewhere } from './git-folders.ts';

/** The folder of the worktree that has the branch checked out, or null. A worktree whose folder is gone counts as none. @throws GIT_FAILED */
export async function checkedOutAt(
  git: Git,
  options: { repo: string; target: string },
): Promise<string | null> {
  const ref = branchRef(options.target);
  if (await surelyElsewhere(await commonFolder(git, options.repo), ref)) return null;
  const list = await gitText(git, ['worktree', 'list', '--porcelain', '-z'], { cwd: options.repo });
  for (const record of list.split('\0\0')) {
    const lines = record.split('\0');
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (folder === undefined || !lines.includes(`branch ${ref}`)) continue;
    if (await isFolder(folder)) return folder;
  }
  return null;
}

/** Whether tracked files of a worktree differ from its head, without refreshing its index. @throws GIT_FAILED */
export async function isDirty(git: Git, worktree: string): Promise<boolean> {
  const args = [
    '--no-optional-locks',
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=untracked',
  ];
  return (await gitText(git, args, { cwd: worktree })) !== '';
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
