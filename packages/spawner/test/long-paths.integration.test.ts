import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspaces } from './support/workspaces.ts';
import { git } from './support/real.ts';

const owner = { taskId: 't1', fence: 1 };
const nameMost = 250;

/** A commit on the head with a file below so many folders of long names, or with a name of its own. */
async function commitBelow(w: Awaited<ReturnType<typeof workspaces>>, folders: number, name = 'f') {
  const run = async (args: string[], stdin = '') => {
    const { exitCode, stdout, stderr } = await git(args, { cwd: w.clone.path, stdin });
    expect(exitCode, stderr).toBe(0);
    return stdout.trim();
  };
  const blob = await run(['hash-object', '-w', '--stdin']);
  let tree = await run(['mktree'], `100644 blob ${blob}\t${name}\n`);
  if (name === 'd') tree = await run(['mktree'], `040000 tree ${tree}\t${'d'.repeat(40)}\n`);
  for (let depth = 0; depth < folders; depth += 1)
    tree = await run(['mktree'], `040000 tree ${tree}\t${'x'.repeat(nameMost)}\n`);
  return run(['commit-tree', tree, '-p', w.head, '-m', 'long']);
}

test.each([
  ['a path', 17, 'f'],
  ['a path that is too long only with the folder of the worktree', 16, 'd'],
  ['a name', 0, 'n'.repeat(300)],
])('%s that the file system does not take is named, each time, and the next commit is set', async (...of) => {
  const [, folders, name] = of;
  await using w = await workspaces({ 'a.txt': 'a\n' });
  const head = await commitBelow(w, folders, name);
  for (const _ of [1, 2])
    await expect(w.pool.acquire({ head, owner })).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: expect.stringMatching(/^(File name too long|cannot create directory at|failed to open file)/),
      fix: expect.stringMatching(/^Shorten that path in the repository/),
    });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  expect(existsSync(path.join(workspace.path, 'a.txt'))).toBe(true);
});
