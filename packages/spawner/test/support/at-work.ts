import type { RepoFiles } from '@baton/testkit';
import { commitTask } from '../../src/index.ts';
import { git } from './real.ts';
import { workspaces } from './workspaces.ts';

/** The attempt that the worktree belongs to. */
export const owner = { taskId: 'task-9', fence: 2 };
/** Where its salvage stands. */
export const ref = 'refs/baton/salvage/task-9/2';

/** A worktree that somebody works in, with a base of three kinds of attributes. */
export async function atWork(more: RepoFiles = {}) {
  const w = await workspaces({
    'src/a.txt': 'one\n',
    'src/b.txt': 'two\n',
    'run.ps1': Buffer.from('\ufeffecho\n', 'utf16le'),
    '.gitattributes': '*.ps1 text working-tree-encoding=UTF-16\n*.bat text eol=crlf\n',
    '.gitignore': 'out/\n',
    ...more,
  });
  return { ...w, workspace: await w.pool.acquire({ head: w.head, owner }) };
}

/** Ends the task as a worker does. */
export function commit(workspace: Parameters<typeof commitTask>[0], startCommit: string) {
  return commitTask(workspace, { git, startCommit, message: 'm', trailers: {} });
}
