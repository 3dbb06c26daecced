import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { diffSnapshots } from '@baton/testkit';
import { expect, test } from 'vitest';
import { commitTask, openClone, salvage } from '../src/index.ts';
import { git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const owner = { taskId: 't1', fence: 1 };

test('nothing that an agent plants in its git folder or attributes runs at our git calls, and its clone stays as it was', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const before = await w.clone.fingerprint();
  const userBefore = await w.repo.snapshot();
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const proof = path.join(w.state.path, 'executed');
  const program = path.join(w.state.path, 'evil.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0" "$@" >> ${proof}\ncat\nexit 0\n`, { mode: 0o755 });
  writeFileSync(path.join(workspace.path, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
  writeFileSync(path.join(workspace.path, 'a.txt'), 'two\n');
  await agentGit(workspace.path, 'add', '-A');
  await agentGit(workspace.path, 'commit', '-qm', 'prepared');
  writeFileSync(path.join(workspace.path, 'b.txt'), 'b\n');
  for (const key of [
    'core.fsmonitor',
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'diff.external',
    'merge.evil.driver',
    'core.sshCommand',
    'gpg.program',
    'uploadpack.packObjectsHook',
    'core.alternateRefsCommand',
    'remote.origin.uploadpack',
  ]) {
    await agentGit(workspace.path, 'config', key, program);
  }
  await agentGit(workspace.path, 'config', 'commit.gpgsign', 'true');
  await agentGit(workspace.path, 'config', 'extensions.partialClone', 'origin');
  await agentGit(workspace.path, 'config', 'remote.origin.promisor', 'true');
  mkdirSync(path.join(workspace.gitDir, 'hooks'), { recursive: true });
  for (const hook of [
    'post-index-change',
    'pre-commit',
    'post-checkout',
    'reference-transaction',
    'post-commit',
  ]) {
    writeFileSync(path.join(workspace.gitDir, 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${proof}\n`, {
      mode: 0o755,
    });
  }
  await salvage(workspace, { ...owner, isLive: true });
  await salvage(workspace, owner);
  const done = await commitTask(workspace, { git, startCommit: w.head, message: 'm', trailers: {} });
  await w.clone.keepAttempt({ ...owner, commit: done.headCommit });
  await w.pool.release(workspace);
  const again = await w.pool.acquire({ head: done.headCommit, owner: null });
  expect(done.changedPaths).toEqual(['.gitattributes', 'a.txt', 'b.txt']);
  expect(existsSync(proof)).toBe(false);
  expect(await agentGit(again.path, 'status', '--porcelain')).toBe('');
  expect(existsSync(proof)).toBe(false);
  expect(await w.clone.fingerprint()).toBe(before);
  expect(diffSnapshots(userBefore, await w.repo.snapshot())).toEqual([]);
});

test('what someone else writes into the clone is noticed, named and put back, also by the next who opens it', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const before = await w.clone.fingerprint();
  const head = await w.clone.resolve(w.head);
  expect(await w.clone.restore()).toEqual([]);
  const plant = async ({ packs }: { packs: boolean }) => {
    await agentGit(w.clone.path, 'config', 'core.fsmonitor', '/bin/true');
    await agentGit(w.clone.path, 'update-ref', 'refs/heads/planted', w.head);
    if (packs) await agentGit(w.clone.path, 'pack-refs', '--all');
    mkdirSync(path.join(w.clone.path, 'hooks'), { recursive: true });
    writeFileSync(path.join(w.clone.path, 'hooks', 'post-checkout'), '#!/bin/sh\n');
    writeFileSync(path.join(w.clone.path, 'objects', 'info', 'alternates'), '/elsewhere\n');
  };
  await plant({ packs: false });
  expect(await w.clone.fingerprint()).not.toBe(before);
  expect((await w.clone.restore()).sort()).toEqual([
    'config',
    'hooks/post-checkout',
    'objects/info/alternates',
    'refs/heads/planted',
  ]);
  expect(await w.clone.fingerprint()).toBe(before);
  await plant({ packs: true });
  const again = await openClone({ git, stateDir: w.state.path, repoId: 'r1', location: w.repo.path });
  expect(await again.fingerprint()).toBe(before);
  expect(await again.resolve(w.head)).toBe(head);
  expect(await agentGit(w.clone.path, 'for-each-ref', 'refs/heads')).toBe('');
});

test('a gc and a stash of one agent touch neither the clone nor another worktree', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const [first, second] = [
    await w.pool.acquire({ head: w.head, owner: null }),
    await w.pool.acquire({ head: w.head, owner: null }),
  ];
  writeFileSync(path.join(second.path, 'a.txt'), 'kept\n');
  const done = await commitTask(second, { git, startCommit: w.head, message: 'm', trailers: {} });
  writeFileSync(path.join(first.path, 'a.txt'), 'stashed\n');
  await agentGit(first.path, 'stash');
  await agentGit(first.path, 'gc', '-q', '--prune=now', '--aggressive');
  expect(await agentGit(second.path, 'stash', 'list')).toBe('');
  expect(await w.clone.resolve(done.headCommit)).toBe(done.headCommit);
  expect((await git(['fsck', '--connectivity-only'], { cwd: w.clone.path })).exitCode).toBe(0);
});
