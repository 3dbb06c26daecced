import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { WorkspaceSetup } from '@baton/contracts';
import { createRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createWorkspacePool, listSalvage, restoreSalvage, salvage, startTask } from '../src/index.ts';
import { git } from './support/real.ts';
import { atWork, commit, owner, ref } from './support/at-work.ts';
import { agentGit, show, workspaces } from './support/workspaces.ts';

test('one file that git cannot stage costs nothing: it and all others are saved byte for byte, and a commit names it', async () => {
  await using w = await atWork();
  const { workspace } = w;
  writeFileSync(path.join(workspace.path, 'run.ps1'), 'utf-8\n');
  writeFileSync(path.join(workspace.path, 'src/a.txt'), 'edited\r\n');
  writeFileSync(path.join(workspace.path, 'new.bat'), 'a\r\n');
  await expect(commit(workspace, w.head)).rejects.toMatchObject({
    code: 'WORK_NOT_COMMITTABLE',
    message: expect.stringContaining('run.ps1: BOM is required') as string,
  });
  expect(await w.pool.release(workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'run.ps1')).toBe('utf-8\n');
  expect(await show(w.clone, ref, 'src/a.txt')).toBe('edited\r\n');
  expect(await show(w.clone, ref, 'new.bat')).toBe('a\r\n');
  const into = path.join(w.state.path, 'restored');
  await restoreSalvage(w.clone, ref, { into });
  expect(execFileSync('cat', ['run.ps1', 'new.bat'], { cwd: into, encoding: 'utf8' })).toBe('utf-8\na\r\n');
});

test('stashes, branches, amended commits and staged content are kept, listed and can be restored each', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, 'stashed.txt'), 'stash 1\n');
  await agentGit(at, 'stash', '-u', '-q', '-m', 'first stash');
  writeFileSync(path.join(at, 'stashed.txt'), 'stash 2\n');
  await agentGit(at, 'stash', '-u', '-q', '-m', 'second stash');
  await agentGit(at, 'checkout', '-q', '-b', 'feature');
  writeFileSync(path.join(at, 'src/a.txt'), 'first\n');
  await agentGit(at, 'commit', '-qam', 'before it was amended');
  writeFileSync(path.join(at, 'src/a.txt'), 'second\n');
  await agentGit(at, 'commit', '-qa', '--amend', '-m', 'on a branch');
  await agentGit(at, 'checkout', '-q', '--detach', w.head);
  writeFileSync(path.join(at, 'staged.txt'), 'staged\n');
  await agentGit(at, 'add', 'staged.txt');
  rmSync(path.join(at, 'staged.txt'));
  expect(await w.pool.release(w.workspace)).toBe('refs/baton/own/task-9/2');
  const entries = await listSalvage(w.clone, 'task-9');
  expect(entries.map(({ title }) => title).sort()).toEqual([
    'Content that was staged and is in no commit',
    'On (no branch): first stash',
    'On (no branch): second stash',
    'before it was amended',
    'on a branch',
  ]);
  for (const [at_, entry] of entries.entries()) {
    const into = path.join(w.state.path, `restored-${at_}`);
    expect((await restoreSalvage(w.clone, entry.ref, { into })).files).toBeGreaterThan(0);
  }
  const first = entries.find(({ title }) => title.endsWith('first stash'));
  expect(await show(w.clone, `${first?.commit}^3`, 'stashed.txt')).toBe('stash 1\n');
  const untracked = path.join(
    w.state.path,
    `restored-${entries.indexOf(first ?? expect.fail())}`,
    'stashed.txt',
  );
  expect(readFileSync(untracked, 'utf8')).toBe('stash 1\n');
});

test('what was saved twice, or once more after a crash, is the same and loses nothing', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, 'src/a.txt'), 'stashed\n');
  await agentGit(at, 'stash', '-q');
  writeFileSync(path.join(at, 'src/b.txt'), 'edited\n');
  expect(await salvage(w.workspace, owner)).toBe(ref);
  const before = await listSalvage(w.clone);
  expect(await salvage(w.workspace, owner)).toBeNull();
  expect(await w.pool.release(w.workspace)).toBeNull();
  expect(await listSalvage(w.clone)).toEqual(before);
  expect(before.map(({ kind }) => kind)).toEqual(['tree', 'commit']);
});

test('pipes in a worktree and in its git folder block nothing, whether the agent was done or killed', async () => {
  await using w = await atWork();
  const { workspace } = w;
  const places = [
    '.gitattributes',
    'src/.gitignore',
    '.mailmap',
    '.git/HEAD',
    '.git/index',
    '.git/packed-refs',
    '.git/refs/x',
  ];
  const plant = () => {
    for (const place of places) {
      rmSync(path.join(workspace.path, place), { force: true });
      execFileSync('mkfifo', [path.join(workspace.path, place)]);
    }
  };
  plant();
  writeFileSync(path.join(workspace.path, 'src/a.txt'), 'edited\n');
  await expect(commit(workspace, w.head)).rejects.toMatchObject({
    message: expect.stringContaining('.gitattributes: it is a named pipe') as string,
  });
  plant();
  expect(await w.pool.release(workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'src/a.txt')).toBe('edited\n');
  const [entry] = await listSalvage(w.clone);
  expect(entry?.leftOut).toContainEqual({ file: 'src/.gitignore', reason: 'special' });
  const next = await w.pool.acquire({ head: w.head, owner });
  expect(await agentGit(next.path, 'status', '--porcelain')).toBe('');
}, 60_000);

test('nested repositories at any depth, with names that are no text, are saved with their git folders', async () => {
  await using w = await atWork();
  let folder = w.workspace.path;
  for (let level = 0; level < 10; level += 1) {
    folder = path.join(folder, 'n');
    mkdirSync(folder);
    await agentGit(folder, 'init', '-q');
    writeFileSync(path.join(folder, 'inner.txt'), `level ${level}\n`);
  }
  const odd = Buffer.concat([Buffer.from(`${w.workspace.path}/`), Buffer.from([0xff, 0xfe])]);
  renameSync(Buffer.from(path.join(w.workspace.path, 'n')), odd);
  expect(await w.pool.release(w.workspace)).toBe(ref);
  const listed = await git(['-c', 'core.quotePath=true', 'ls-tree', '-r', '--name-only', ref], {
    cwd: w.clone.path,
  });
  expect(listed.stdout).toContain(`"\\377\\376/n/n/n/n/n/n/n/n/n/inner.txt"`);
  expect(listed.stdout).toContain(`"\\377\\376/%2egit/HEAD"`);
});

test('names that git refuses are kept under others', async () => {
  await using w = await atWork();
  mkdirSync(path.join(w.workspace.path, '.GIT'));
  writeFileSync(path.join(w.workspace.path, '.GIT/x'), 'x\n');
  writeFileSync(path.join(w.workspace.path, 'git~1'), 'tilde\n');
  await expect(commit(w.workspace, w.head)).rejects.toMatchObject({ code: 'WORK_NOT_COMMITTABLE' });
  await w.pool.release(w.workspace);
  expect(await show(w.clone, ref, '%2eGIT/x')).toBe('x\n');
  expect(await show(w.clone, ref, '%67it~1')).toBe('tilde\n');
});

test('a worktree with work that cannot be saved is set aside, listed and never handed out', async () => {
  await using w = await atWork();
  const { workspace } = w;
  writeFileSync(path.join(workspace.path, 'src/a.txt'), 'saved\n');
  execFileSync('truncate', ['--size=201M', path.join(workspace.path, 'large.bin')]);
  expect(await salvage(workspace, owner)).toBe(ref);
  await expect(startTask(workspace, { head: w.head })).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' });
  await w.pool.release(workspace);
  const [, aside] = await listSalvage(w.clone, 'task-9');
  expect(aside).toMatchObject({
    kind: 'set-aside',
    ref: 'set-aside/task-9/2.1',
    leftOut: [{ file: 'large.bin', reason: 'large' }],
  });
  expect(existsSync(path.join(String(aside?.path), 'large.bin'))).toBe(true);
  const next = await w.pool.acquire({ head: w.head, owner });
  expect(existsSync(path.join(next.path, 'large.bin'))).toBe(false);
  const into = path.join(w.state.path, 'restored');
  expect(await restoreSalvage(w.clone, 'set-aside/task-9/2.1', { into })).toMatchObject({
    missing: ['.git'],
  });
  expect(existsSync(path.join(into, 'large.bin'))).toBe(true);
});

test('a tree that no git can save any more is set aside by the process that finds it after a crash', async () => {
  await using w = await atWork();
  writeFileSync(path.join(w.workspace.path, 'src/a.txt'), 'edited\n');
  const broken = {
    ...w.clone,
    git: (args: readonly string[], options: Parameters<typeof git>[1]) =>
      git(args.includes('hash-object') ? ['no-such-command'] : args, options),
  };
  rmSync(path.join(path.dirname(w.workspace.path), 'lock'), { recursive: true });
  await createWorkspacePool({ ...w.poolOptions, clone: broken }).recover();
  const [aside] = await listSalvage(w.clone, 'task-9');
  expect(aside).toMatchObject({
    kind: 'set-aside',
    leftOut: [
      { file: 'src/a.txt', reason: 'unreadable' },
      { file: './', reason: 'incomplete' },
    ],
  });
  expect(existsSync(w.workspace.path)).toBe(false);
});

test('a submodule that the agent initialised costs nothing: the task commits, and its content is salvaged', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  const origin = path.join(w.state.path, 'origin');
  mkdirSync(origin);
  await agentGit(origin, 'init', '-q');
  writeFileSync(path.join(origin, 'lib.txt'), 'lib\n');
  await agentGit(origin, 'add', '.');
  await agentGit(origin, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'lib');
  await agentGit(at, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'vend');
  await agentGit(at, 'commit', '-qam', 'a submodule');
  writeFileSync(path.join(at, 'vend/edited.txt'), 'inside\n');
  writeFileSync(path.join(at, 'src/a.txt'), 'edited\n');
  const done = await commit(w.workspace, w.head);
  expect(done.changedPaths).toEqual(['.gitmodules', 'src/a.txt', 'vend']);
  await w.clone.keepAttempt({ ...owner, commit: done.headCommit });
  expect(await agentGit(at, 'status', '--porcelain')).toBe('M vend');
  expect(await w.pool.release(w.workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'vend/edited.txt')).toBe('inside\n');
});

test('a sparse checkout deletes nothing, and a file without rights is read all the same', async () => {
  await using w = await atWork();
  await agentGit(w.workspace.path, 'sparse-checkout', 'set', '--no-cone', '/src/a.txt');
  writeFileSync(path.join(w.workspace.path, 'src/a.txt'), 'edited\n');
  chmodSync(path.join(w.workspace.path, 'src/a.txt'), 0);
  const done = await commit(w.workspace, w.head);
  expect(done.changedPaths).toEqual(['src/a.txt']);
});

test('submodules that set-up initialised stay usable for each task, and only what is done in them is salvaged', async () => {
  await using library = await createRepo({ 'lib.txt': 'lib\n' });
  const init = [
    'git',
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'update',
    '--init',
  ] as const;
  const setup: WorkspaceSetup = { setup: [...init], setup_timeout: 60_000, symlink: [], copy: [] };
  await using w = await workspaces({ 'a.txt': 'one\n' }, setup);
  const allow = ['-c', 'protocol.file.allow=always'];
  await w.repo.git(...allow, 'submodule', '--quiet', 'add', library.path, 'vend');
  await w.repo.git('commit', '-qm', 'a submodule');
  const head = await w.clone.fetchTarget('main');
  const first = await w.pool.acquire({ head, owner });
  expect(await agentGit(first.path, 'submodule', 'status')).toContain(' vend');
  expect(await w.pool.release(first)).toBeNull();
  const second = await w.pool.acquire({ head, owner });
  expect(await agentGit(second.path, 'submodule', 'status')).toContain(' vend');
  writeFileSync(path.join(second.path, 'vend/lib.txt'), 'mine\n');
  await agentGit(
    path.join(second.path, 'vend'),
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '-qam',
    'in it',
  );
  expect(await w.pool.release(second)).toBe(ref);
  expect(await show(w.clone, ref, 'vend/lib.txt')).toBe('mine\n');
  const kept = await git(['ls-tree', '-r', '--name-only', ref], { cwd: w.clone.path });
  expect(kept.stdout).toContain('%2egit/modules/vend/objects/');
  const third = await w.pool.acquire({ head, owner });
  expect(readFileSync(path.join(third.path, 'vend/lib.txt'), 'utf8')).toBe('lib\n');
});
