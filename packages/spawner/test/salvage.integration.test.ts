import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  commitTask,
  createWorkspacePool,
  listSalvage,
  restoreSalvage,
  salvage,
  startTask,
} from '../src/index.ts';
import { env, git } from './support/real.ts';
import { agentGit, show, workspaces } from './support/workspaces.ts';

const owner = { taskId: 'task-7', fence: 3 };

test("salvage keeps changed and untracked files and the agent's commits, lists secrets and keeps them on this machine", async () => {
  await using w = await workspaces({ 'a.txt': 'one\n', '.gitignore': 'out/\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'a.txt'), 'committed\n');
  await agentGit(workspace.path, 'commit', '-qam', 'by the agent');
  writeFileSync(path.join(workspace.path, 'a.txt'), 'edited\n');
  mkdirSync(path.join(workspace.path, 'out'));
  writeFileSync(path.join(workspace.path, 'out', 'built'), 'x');
  writeFileSync(path.join(workspace.path, 'notes.md'), 'notes\n');
  writeFileSync(path.join(workspace.path, '.env'), 'KEY=canary\n');
  const ref = await salvage(workspace, owner);
  expect(ref).toBe('refs/baton/salvage/task-7/3');
  const files = await git(['ls-tree', '-r', '--name-only', String(ref)], { cwd: w.clone.path });
  expect(files.stdout.trim().split('\n')).toEqual(['.gitignore', 'a.txt', 'notes.md']);
  const parents = await git(['log', '-1', '--format=%P', String(ref)], { cwd: w.clone.path });
  expect(parents.stdout.trim().split(' ')).toHaveLength(2);
  const [entry] = await listSalvage(w.clone, 'task-7');
  expect(entry).toMatchObject({
    ...owner,
    ref,
    leftOut: [
      { file: '.env', reason: 'secret' },
      { file: 'out/', reason: 'ignored' },
    ],
  });

  const into = path.join(w.state.path, 'restored');
  expect(await restoreSalvage(w.clone, String(ref), { into })).toEqual({ files: 4, missing: [] });
  expect(readFileSync(path.join(into, 'a.txt'), 'utf8')).toBe('edited\n');
  expect(readFileSync(path.join(into, '.env'), 'utf8')).toBe('KEY=canary\n');
  await expect(restoreSalvage(w.clone, String(ref), { into })).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(restoreSalvage(w.clone, 'refs/baton/salvage/x/1', { into: `${into}2` })).rejects.toMatchObject(
    { code: 'NOT_FOUND' },
  );
});

test('a secret that is all an agent left is kept, and salvage can be repeated', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const secret = path.join(workspace.path, '.env');
  writeFileSync(secret, 'KEY=canary\n');
  const copy = path.join(path.dirname(w.clone.path), 'kept-files/task-7/3/.env');
  // A crash may leave half of a copy behind, or all of it and no ref.
  mkdirSync(path.dirname(copy), { recursive: true });
  writeFileSync(copy, 'KEY=canary\n');
  const ref = await salvage(workspace, owner);
  expect(ref).toBe('refs/baton/salvage/task-7/3');
  expect(await salvage(workspace, owner)).toBeNull();
  writeFileSync(copy, 'KEY=ca');
  expect(await salvage(workspace, owner)).toBe(ref);
  expect(readFileSync(copy, 'utf8')).toBe('KEY=canary\n');
  writeFileSync(secret, 'KEY=other\n');
  expect(await w.pool.release(workspace)).toBe(ref);

  const left = path.join(path.dirname(w.clone.path), `restore-${2 ** 22 + 1}.git`);
  writeFileSync(left, 'by a process that was killed');
  const into = path.join(w.state.path, 'restored');
  expect(await restoreSalvage(w.clone, String(ref), { into })).toEqual({ files: 2, missing: [] });
  expect(readFileSync(path.join(into, '.env'), 'utf8')).toBe('KEY=other\n');
  expect(existsSync(left)).toBe(false);
});

test('salvage of an untouched tree, and of one that is kept already, makes no ref', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  expect(await salvage(workspace, owner)).toBeNull();
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  const done = await commitTask(workspace, { git, startCommit: w.head, message: 'm', trailers: {} });
  await w.clone.keepAttempt({ ...owner, commit: done.headCommit });
  expect(await salvage(workspace, owner)).toBeNull();
  expect(await w.pool.release(workspace)).toBeNull();
  expect(await w.clone.salvageRefs()).toEqual([]);
});

test('a commit that was made but not kept before a crash is salvaged', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  await commitTask(workspace, { git, startCommit: w.head, message: 'm', trailers: {} });
  const ref = await w.pool.release(workspace);
  expect(await show(w.clone, String(ref), 'a.txt')).toBe('two\n');
});

test('salvage while the agent works leaves its git folder alone and can be repeated', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'new.txt'), 'draft\n');
  await agentGit(workspace.path, 'config', 'agent.own', 'setting');
  const ref = await salvage(workspace, { ...owner, isLive: true });
  writeFileSync(path.join(workspace.path, 'new.txt'), 'better\n');
  expect(await salvage(workspace, { ...owner, isLive: true })).toBe(ref);
  expect(await show(w.clone, String(ref), 'new.txt')).toBe('better\n');
  expect(await agentGit(workspace.path, 'config', 'agent.own')).toBe('setting');
});

test('the work in a worktree whose process was killed is salvaged before it is handed out again', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  await w.pool.close();
  const { git: _git, exec: _exec, clone: _clone, log: _log, clock: _clock, ...plain } = w.poolOptions;
  const program = fileURLToPath(new URL('./fixtures/crash-in-worktree.ts', import.meta.url));
  const input = JSON.stringify({ plain, stateDir: w.state.path, location: w.repo.path, head: w.head, owner });
  const crashed = spawnSync(process.execPath, ['--conditions=@baton/source', program], {
    input,
    env,
    encoding: 'utf8',
  });
  expect(crashed.signal, crashed.stderr).toBe('SIGKILL');
  const pool = createWorkspacePool(w.poolOptions);
  const workspace = await pool.acquire({ head: w.head, owner: null });
  expect(existsSync(path.join(workspace.path, 'half-done.txt'))).toBe(false);
  const [entry] = await w.clone.salvageRefs('task-7');
  expect(entry?.fence).toBe(3);
  expect(await show(w.clone, String(entry?.ref), 'half-done.txt')).toBe('half done\n');
  await pool.close();
});

test('what the next task of a batch leaves is salvaged under its own name', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'first.txt'), '1\n');
  const first = await commitTask(workspace, { git, startCommit: w.head, message: 'first', trailers: {} });
  await w.clone.keepAttempt({ ...owner, commit: first.headCommit });
  await startTask(workspace, { head: first.headCommit, owner: { taskId: 'task-8', fence: 1 } });
  writeFileSync(path.join(workspace.path, 'second.txt'), '2\n');
  expect(await w.pool.release(workspace)).toBe('refs/baton/salvage/task-8/1');
});
