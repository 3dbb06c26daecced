import { readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sequentialIds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { commitTask, createWorkspacePool, listSetAside, tidyState } from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const dayMs = 86_400_000;
const settled = { taskId: '01a20000-0000-7000-8000-000000000001', fence: 1 };
const owner = { taskId: '01a20000-0000-7000-8000-000000000002', fence: 1 };

/**
 * A worktree whose agent committed on the head of an attempt that only an old ref keeps, and staged a file of another one; the record of the
 * worktree is lost, and a round of upkeep removes those refs.
 */
async function borrowed() {
  const w = await workspaces({ 'a.txt': 'one\n' });
  const pool = createWorkspacePool({
    ...w.poolOptions,
    dir: path.join(w.state.path, 'worktrees/r1/agent-1'),
  });
  const earlier: string[] = [];
  for (const fence of [1, 2]) {
    const space = await pool.acquire({ head: w.head, owner: null });
    writeFileSync(path.join(space.path, `${fence}.txt`), `of attempt ${fence}\n`);
    const made = await commitTask(space, { git, startCommit: w.head, message: 'm', trailers: {} });
    await w.clone.keepAttempt({ ...settled, fence, commit: made.headCommit });
    earlier.push(made.headCommit);
    await pool.release(space);
  }
  const [below = '', staged = ''] = earlier;
  const space = await pool.acquire({ head: w.head, owner });
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  await agentGit(space.path, 'checkout', '-q', '-b', 'mine', below);
  await agentGit(space.path, ...person, 'commit', '-q', '--allow-empty', '-m', 'hours of work');
  await agentGit(space.path, 'read-tree', staged);
  await agentGit(space.path, 'checkout', '-q', '--detach', '--force', w.head);
  await agentGit(space.path, 'read-tree', staged);
  const slot = path.dirname(space.path);
  truncateSync(path.join(slot, 'meta/state.json'), 0);
  rmSync(path.join(slot, 'lock'), { recursive: true }); // as that of a dead process
  const tidy = () => {
    for (const file of readdirSync(path.join(w.clone.path, 'objects'), {
      recursive: true,
      encoding: 'utf8',
    })) {
      const at = clock.now().getTime() / 1000 - 60 * 86_400;
      if (!file.startsWith('info')) utimesSync(path.join(w.clone.path, 'objects', file), at, at);
    }
    return tidyState({
      ...{ git, exec, clock, stateDir: w.state.path, logsDir: path.join(w.state.path, 'logs') },
      rules: { attemptsMs: 30 * dayMs, salvageMs: 90 * dayMs, worktreesMs: null, maxBytes: 1 },
      ids: sequentialIds(),
      endOf: ({ taskId }) => Promise.resolve(taskId === settled.taskId ? new Date(0) : null),
      runsOf: () => Promise.resolve([]),
    });
  };
  return {
    w,
    pool,
    tidy,
    below,
    staged,
    tree: space.path,
    [Symbol.asyncDispose]: () => w[Symbol.asyncDispose](),
  };
}

async function expectWhole(tree: string): Promise<void> {
  expect(await agentGit(tree, 'log', '--format=%s', 'mine')).toBe('hours of work\nm\nfirst commit');
  expect(await agentGit(tree, 'show', 'mine:1.txt')).toBe('of attempt 1');
  expect(await agentGit(tree, 'show', ':2.txt')).toBe('of attempt 2');
  expect(await agentGit(tree, 'fsck', '--connectivity-only')).not.toMatch(/missing|broken/);
}

test('packing keeps what a worktree with a lost record borrows, before and after it is set aside, and says for which', async () => {
  await using one = await borrowed();
  const { w, pool, tidy, tree } = one;
  const first = await tidy();
  const pack = first.acts.find(({ kind }) => kind === 'pack');
  expect(pack?.reason).toContain(`all of them stay, since ${path.dirname(tree)} may need any`);
  expect(await w.clone.resolve(`refs/baton/attempts/${settled.taskId}/1`)).toBeNull();
  await expectWhole(tree);
  await pool.recover();
  const [aside] = listSetAside(w.clone);
  await tidy();
  await tidy();
  await expectWhole(String(aside?.path));
});

test('once such a worktree is deleted, packing removes what nothing names again', async () => {
  await using one = await borrowed();
  const { w, pool, tidy, below } = one;
  await pool.recover();
  await tidy();
  expect(await w.clone.resolve(below)).toBe(below);
  for (const { path: tree } of listSetAside(w.clone)) rmSync(path.dirname(tree), { recursive: true });
  const { acts } = await tidy();
  expect(acts.find(({ kind }) => kind === 'pack')?.reason).toContain('goes when it is 14 days old');
  await tidy();
  expect(await w.clone.resolve(below)).toBeNull();
  expect(await w.clone.resolve(w.head)).toBe(w.head);
});
