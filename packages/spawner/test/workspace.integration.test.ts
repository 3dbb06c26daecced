import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { diffSnapshots, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { commitTask, createWorkspacePool, openClone, startTask } from '../src/index.ts';
import { agentGit, show, workspaces } from './support/workspaces.ts';
import { git } from './support/real.ts';

const trailers = { 'Task-Id': 't1', Attempt: '1', Agent: 'command', Model: 'none' };
const owner = { taskId: 't1', fence: 1 };

test("an agent's leftovers become one commit with trailers on top of the start, and the user's repository stays as it is", async () => {
  await using w = await workspaces({ 'a.txt': 'one\n', '.gitignore': 'ignored.log\n' });
  const before = await w.repo.snapshot();
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const start = await startTask(workspace, { head: w.head });
  expect(start).toEqual({ baseCommit: w.head, startCommit: w.head, continued: false, conflicts: null });
  expect(await agentGit(workspace.path, 'status', '--porcelain')).toBe('');
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  writeFileSync(path.join(workspace.path, 'new.txt'), 'new\n');
  writeFileSync(path.join(workspace.path, 'ignored.log'), 'noise\n');
  const done = await commitTask(workspace, {
    git,
    startCommit: start.startCommit,
    message: 'Say two',
    trailers,
  });
  expect(done).toMatchObject({ changedPaths: ['a.txt', 'new.txt'], empty: false });
  const shown = await git(
    ['log', '-1', '--format=%an <%ae>|%P|%s|%(trailers:key=Task-Id,valueonly)', done.headCommit],
    { cwd: w.clone.path },
  );
  expect(shown.stdout.trim()).toBe(`Baton <baton@localhost>|${w.head}|Say two|t1`);
  expect(await show(w.clone, done.headCommit, 'a.txt')).toBe('two\n');
  expect(await agentGit(workspace.path, 'status', '--porcelain')).toBe('');
  expect(diffSnapshots(before, await w.repo.snapshot())).toEqual([]);
});

test('a change of the same length is committed that came in the very second in which the file was last looked at', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const file = path.join(workspace.path, 'a.txt');
  const second = () => Math.floor(Date.now() / 1_000);
  const nextSecond = async () => {
    const now = second();
    await until(() => second() > now, { what: 'the next second has begun' });
  };
  await nextSecond();
  writeFileSync(file, 'one\n');
  const env = { GIT_INDEX_FILE: path.join(workspace.metaDir, 'index'), GIT_WORK_TREE: workspace.path };
  const looked = await git(['update-index', '--refresh'], { cwd: workspace.path, env });
  expect(looked.exitCode, looked.stderr).toBe(0);
  writeFileSync(file, 'two\n');
  await nextSecond();
  const done = await commitTask(workspace, { git, startCommit: w.head, message: 'two', trailers });
  expect(done.changedPaths).toEqual(['a.txt']);
});

test("the agent's own commits stay in the range, below what it left uncommitted", async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  await agentGit(workspace.path, 'commit', '-qam', 'agent says two');
  writeFileSync(path.join(workspace.path, 'b.txt'), 'b\n');
  const done = await commitTask(workspace, { git, startCommit: w.head, message: 'rest', trailers });
  const log = await git(['log', '--format=%s', `${w.head}..${done.headCommit}`], { cwd: w.clone.path });
  expect(log.stdout).toBe('rest\nagent says two\n');
});

test('tasks of a batch get ranges of their own, one after the other', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'first.txt'), '1\n');
  const first = await commitTask(workspace, { git, startCommit: w.head, message: 'first', trailers });
  const start = await startTask(workspace, { head: first.headCommit, owner: { taskId: 't2', fence: 1 } });
  expect(start.startCommit).toBe(first.headCommit);
  const idle = await commitTask(workspace, {
    git,
    startCommit: start.startCommit,
    message: 'second',
    trailers,
  });
  expect(idle).toEqual({ headCommit: first.headCommit, changedPaths: [], empty: true });
  writeFileSync(path.join(workspace.path, 'second.txt'), '2\n');
  const second = await commitTask(workspace, {
    git,
    startCommit: start.startCommit,
    message: 'second',
    trailers,
  });
  expect(second.changedPaths).toEqual(['second.txt']);
});

test('rejected work is merged onto the fresh head and its range holds old and new; on conflict only the head counts', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'a.txt'), 'agent\n');
  const old = await commitTask(workspace, { git, startCommit: w.head, message: 'old', trailers });
  await w.repo.commit({ 'b.txt': 'moved on\n' }, 'user moves on');
  const fresh = await w.clone.fetchTarget('main');
  const range = { startCommit: w.head, headCommit: old.headCommit };
  const start = await startTask(workspace, { head: fresh, continueFrom: range });
  expect(start).toEqual({ baseCommit: fresh, startCommit: fresh, continued: true, conflicts: null });
  writeFileSync(path.join(workspace.path, 'more.txt'), 'more\n');
  const done = await commitTask(workspace, {
    git,
    startCommit: start.startCommit,
    message: 'again',
    trailers,
  });
  expect(done.changedPaths).toEqual(['a.txt', 'more.txt']);
  expect(await show(w.clone, done.headCommit, 'b.txt')).toBe('moved on\n');

  await w.repo.commit({ 'a.txt': 'user\n' }, 'user changes the same');
  const conflicting = await w.clone.fetchTarget('main');
  expect(await startTask(workspace, { head: conflicting, continueFrom: range })).toMatchObject({
    startCommit: conflicting,
    ...{ continued: false, conflicts: null },
  });
  expect(readFileSync(path.join(workspace.path, 'a.txt'), 'utf8')).toBe('user\n');
});

test.each([
  [
    'resets behind the start',
    async (cwd: string) => void (await agentGit(cwd, 'reset', '-q', '--soft', 'HEAD~1')),
  ],
  [
    'checks out another branch',
    async (cwd: string) => void (await agentGit(cwd, 'checkout', '-qb', 'elsewhere')),
  ],
  [
    'amends the start',
    async (cwd: string) => void (await agentGit(cwd, 'commit', '-q', '--amend', '-am', 'mine')),
  ],
  [
    'stands on an orphan branch',
    async (cwd: string) => void (await agentGit(cwd, 'checkout', '-q', '--orphan', 'new-world')),
  ],
  [
    'removes its git folder',
    (cwd: string) => Promise.resolve(rmSync(path.join(cwd, '.git'), { recursive: true })),
  ],
])('when the agent %s, the content of its tree is what counts', async (_what, act) => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  await w.repo.commit({ 'base.txt': 'base\n' }, 'second');
  const head = await w.clone.fetchTarget('main');
  const workspace = await w.pool.acquire({ head, owner });
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  await act(workspace.path);
  const done = await commitTask(workspace, { git, startCommit: head, message: 'work', trailers });
  expect(done.changedPaths).toEqual(['a.txt']);
  expect(await w.clone.isAncestor(head, done.headCommit)).toBe(true);
  expect(await agentGit(workspace.path, 'status', '--porcelain')).toBe('');
});

test('a repository that a tool made inside the tree is committed as plain files, also when the agent committed the link', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  for (const name of ['empty', 'full']) {
    mkdirSync(path.join(workspace.path, name, 'deep'), { recursive: true });
    writeFileSync(path.join(workspace.path, name, 'deep', 'file.txt'), `${name}\n`);
    await agentGit(path.join(workspace.path, name), 'init', '-q');
  }
  const full = path.join(workspace.path, 'full');
  await agentGit(
    full,
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@y',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'nested',
  );
  await agentGit(workspace.path, 'add', 'full');
  await agentGit(workspace.path, 'commit', '-qm', 'a link');
  const done = await commitTask(workspace, { git, startCommit: w.head, message: 'work', trailers });
  expect(done.changedPaths).toEqual(['empty/deep/file.txt', 'full/deep/file.txt']);
});

test('a file that a pattern ignores but the agent staged by force is its work', async () => {
  await using w = await workspaces({ '.gitignore': '*.log\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'wanted.log'), 'x\n');
  writeFileSync(path.join(workspace.path, 'noise.log'), 'x\n');
  await agentGit(workspace.path, 'add', '-f', 'wanted.log');
  expect(
    (await commitTask(workspace, { git, startCommit: w.head, message: 'work', trailers })).changedPaths,
  ).toEqual(['wanted.log']);
});

test('a worktree is handed out again clean, at the new head, without being made again; two are never handed out at once', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const first = await w.pool.acquire({ head: w.head, owner: null });
  const second = await w.pool.acquire({ head: w.head, owner: null });
  expect(second.path).not.toBe(first.path);
  expect(second.portBase).not.toBe(first.portBase);
  const other = createWorkspacePool(w.poolOptions);
  expect([first.path, second.path]).not.toContain((await other.acquire({ head: w.head, owner: null })).path);
  await other.close();
  writeFileSync(path.join(first.path, 'junk'), 'x');
  writeFileSync(path.join(first.path, 'a.txt'), 'changed');
  await agentGit(first.path, 'branch', 'left-behind');
  await w.pool.release(first);
  const next = await w.repo.commit({ 'b.txt': 'b\n' }, 'next');
  await w.clone.fetchTarget('main');
  const again = await w.pool.acquire({ head: next, owner: null });
  expect(again.path).toBe(first.path);
  expect(existsSync(path.join(again.path, 'junk'))).toBe(false);
  expect(readFileSync(path.join(again.path, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(path.join(again.path, 'b.txt'), 'utf8')).toBe('b\n');
  expect(await agentGit(again.path, 'branch', '--list', 'left-behind')).toBe('');
});

test("a worktree that was replaced by a link to the user's repository is made again, and nothing is read or removed through the link", async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  await w.repo.write({ 'untracked.txt': 'precious\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  rmSync(workspace.path, { recursive: true });
  symlinkSync(w.repo.path, workspace.path);
  await expect(
    commitTask(workspace, { git, startCommit: w.head, message: 'x', trailers }),
  ).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' });
  await w.pool.release(workspace);
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(readFileSync(path.join(again.path, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(path.join(w.repo.path, 'untracked.txt'), 'utf8')).toBe('precious\n');
});

test("several processes can open the same clone, and it borrows nothing from the user's repository", async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const options = { git, stateDir: w.state.path, repoId: 'r2', location: w.repo.path };
  const clones = await Promise.all([openClone(options), openClone(options), openClone(options)]);
  expect(new Set(clones.map((clone) => clone.path)).size).toBe(1);
  expect(existsSync(path.join(clones[0].path, 'objects', 'info', 'alternates'))).toBe(false);
  expect(await clones[0].resolve(w.head)).toBe(w.head);
  await expect(clones[0].fetchTarget('no-such-branch')).rejects.toMatchObject({ code: 'REF_INVALID' });
});
