import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { restoreSalvage } from '../src/index.ts';
import { atWork, commit, owner, ref } from './support/at-work.ts';
import { git } from './support/real.ts';
import { agentGit, show } from './support/workspaces.ts';

test('line ends that the agent committed away are saved as they lay in the tree', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, 'mixed.bat'), 'a\r\nb\n');
  await agentGit(at, 'add', '-A');
  await agentGit(at, 'commit', '-q', '-m', 'by the agent');
  expect(await w.pool.release(w.workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'mixed.bat')).toBe('a\r\nb\n');
});

test('a file that the agent committed is written back with its own bytes, also where attributes would make them again', async () => {
  await using w = await atWork();
  const bytes = Buffer.from('\ufeffecho\n', 'utf16le');
  writeFileSync(path.join(w.workspace.path, 'new.ps1'), bytes);
  writeFileSync(path.join(w.workspace.path, 'new.bat'), 'a\r\nb\r\n');
  await agentGit(w.workspace.path, 'add', '-A');
  await agentGit(w.workspace.path, 'commit', '-q', '-m', 'by the agent');
  expect(await w.pool.release(w.workspace)).toBe(ref);
  await using folder = await tempDir();
  const into = path.join(folder.path, 'back');
  await restoreSalvage(w.clone, ref, { into });
  expect(readFileSync(path.join(into, 'new.ps1'))).toEqual(bytes);
  expect(readFileSync(path.join(into, 'new.bat'), 'utf8')).toBe('a\r\nb\r\n');
});

test('what a task commits needs no salvage beside it, though attributes convert it', async () => {
  await using w = await atWork();
  writeFileSync(path.join(w.workspace.path, 'new.bat'), 'a\r\nb\r\n');
  const { headCommit } = await commit(w.workspace, w.head);
  await w.clone.keepAttempt({ ...owner, commit: headCommit });
  expect(await w.pool.release(w.workspace)).toBeNull();
});

test.each([':!a', ':(x)b', ':^c', ':(top)x', '-dash', '*'])(
  'what the agent staged by force is its work, whatever else it staged (%s)',
  async (odd) => {
    await using w = await atWork();
    const at = w.workspace.path;
    mkdirSync(path.join(at, 'out'));
    writeFileSync(path.join(at, 'out/forced.txt'), 'forced\n');
    writeFileSync(path.join(at, odd), 'odd\n');
    await agentGit(at, 'add', '-f', 'out/forced.txt');
    await agentGit(at, '--literal-pathspecs', 'add', '--', odd);
    const { headCommit } = await commit(w.workspace, w.head);
    expect(await show(w.clone, headCommit, 'out/forced.txt')).toBe('forced\n');
    expect(await show(w.clone, headCommit, odd)).toBe('odd\n');
  },
);

test('a commit that another attempt made, too, is kept for each of them: the other may be given up first', async () => {
  await using w = await atWork();
  const again = { taskId: 'task-9', fence: 3 };
  const others = await w.pool.acquire({ head: w.head, owner: again });
  for (const { path: at } of [w.workspace, others]) {
    const dates = { GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' };
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...dates };
    await agentGit(at, 'checkout', '--quiet', '-b', 'aside');
    execFileSync('git', ['commit', '--quiet', '--allow-empty', '-m', 'by the agent'], { cwd: at, env });
    await agentGit(at, 'checkout', '--quiet', '--detach', 'HEAD~1');
  }
  for (const workspace of [w.workspace, others]) await w.pool.release(workspace);
  const said = await w.repo.git('-C', w.clone.path, 'log', '--format=%s', 'refs/baton/own/task-9/3');
  expect(said.split('\n')).toContain('by the agent');
});

test('a file in place of the git folder is saved although the task commits', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  rmSync(path.join(at, '.git'), { recursive: true });
  writeFileSync(path.join(at, '.git'), 'notes of the agent\n');
  writeFileSync(path.join(at, 'src/a.txt'), 'edited\n');
  const { headCommit } = await commit(w.workspace, w.head);
  expect(await show(w.clone, headCommit, 'src/a.txt')).toBe('edited\n');
  const listed = await git(['rev-list', '--objects', '--no-object-names', ref], { cwd: w.clone.path });
  const saved = await Promise.all(
    listed.stdout
      .trim()
      .split('\n')
      .map((id) => git(['cat-file', '-p', id], { cwd: w.clone.path })),
  );
  expect(saved.map(({ stdout }) => stdout)).toContain('notes of the agent\n');
});

test('content that a refused commit brought into the clone is held on to all the same', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, 'two.bat'), 'a\r\n');
  await agentGit(at, 'add', 'two.bat');
  const id = execFileSync('git', ['rev-parse', ':two.bat'], { cwd: at, encoding: 'utf8' }).trim();
  await agentGit(at, 'rm', '-q', '--cached', 'two.bat');
  writeFileSync(path.join(at, 'run.ps1'), 'utf-8\n');
  await expect(commit(w.workspace, w.head)).rejects.toMatchObject({ code: 'WORK_NOT_COMMITTABLE' });
  await w.pool.release(w.workspace);
  const kept = await git(['rev-list', '--objects', '--no-object-names', '--all'], { cwd: w.clone.path });
  expect(kept.stdout.split('\n')).toContain(id);
});
