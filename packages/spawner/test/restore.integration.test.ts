import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { restoreSalvage, salvage } from '../src/index.ts';
import { workspaces } from './support/workspaces.ts';

const owner = { taskId: 'task-7', fence: 3 };

test('a restore counts the files that it wrote and names all that it did not write', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const bytes = (name: string) => Buffer.from(`${workspace.path}/${name}`, 'latin1');
  writeFileSync(bytes('caf\xe9.txt'), 'latin1\n');
  writeFileSync(bytes('caf\xe9.pem'), 'secret of a latin1 name\n');
  writeFileSync(path.join(workspace.path, 'new\nline.pem'), 'secret of an odd name\n');
  writeFileSync(path.join(workspace.path, 'new\nline.txt'), 'x\n');
  execFileSync('mkfifo', [path.join(workspace.path, 'pipe')]);
  const ref = String(await salvage(workspace, owner));
  const into = path.join(w.state.path, 'restored');
  const told = await restoreSalvage(w.clone, ref, { into });
  const names = readdirSync(into, { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  expect(told.files).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(['a.txt', 'caf\xe9.txt', 'new\nline.txt']));
  expect(told.missing).toContain('pipe');
  expect(told.missing).toEqual(['pipe']);
  for (const name of ['caf\xe9.pem', 'new\nline.pem']) expect(names).toContain(name);
  // Secrets are in no ref, whatever bytes their names have.
  const listed = await w.clone.git(['ls-tree', '-r', '--name-only', ref], { cwd: w.clone.path });
  expect(listed.stdout).not.toContain('pem');
});

test('a worktree that was set aside is copied by the bytes of its names, with rights and links, and the rest is named', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const folder = path.join(path.dirname(w.clone.path), 'set-aside', owner.taskId, '3.1');
  const tree = path.join(folder, 'tree');
  const bytes = (top: string, name: string) => Buffer.from(`${top}/${name}`, 'latin1');
  mkdirSync(bytes(tree, 'd\xe9p/\xff'), { recursive: true });
  mkdirSync(path.join(tree, 'sub/.git'), { recursive: true });
  writeFileSync(bytes(tree, 'd\xe9p/\xff/caf\xe9.sh'), 'deep\n', { mode: 0o755 });
  writeFileSync(path.join(tree, 'sub/new\nline "x".txt'), 'odd\n');
  symlinkSync(Buffer.from('no\xe9where', 'latin1'), bytes(tree, 'l\xe9nk'));
  execFileSync('sh', ['-c', 'mkfifo "$(printf "p\\351pe")"'], { cwd: path.join(tree, 'sub') });
  chmodSync(bytes(tree, 'd\xe9p/\xff'), 0o555);
  const into = path.join(w.state.path, 'restored');
  expect(await restoreSalvage(w.clone, `set-aside/${owner.taskId}/3.1`, { into })).toEqual({
    files: 3,
    missing: expect.toSatisfy(
      (names: string[]) => [...names].sort().join() === '"sub/p\\351pe",sub/.git',
    ) as string[],
  });
  expect(readFileSync(bytes(into, 'd\xe9p/\xff/caf\xe9.sh'), 'utf8')).toBe('deep\n');
  expect(statSync(bytes(into, 'd\xe9p/\xff/caf\xe9.sh')).mode & 0o777).toBe(0o755);
  expect(statSync(bytes(into, 'd\xe9p/\xff')).mode & 0o777).toBe(0o555);
  expect(readlinkSync(bytes(into, 'l\xe9nk'), { encoding: 'buffer' })).toEqual(
    Buffer.from('no\xe9where', 'latin1'),
  );
  for (const top of [tree, into]) chmodSync(bytes(top, 'd\xe9p/\xff'), 0o755);
});

test('a file of a stash in whose place another one is, and a submodule, count as not written', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const git = (args: string[], input = '') =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: w.clone.path,
      input,
      encoding: 'utf8',
    }).trim();
  const blob = (text: string) => git(['hash-object', '-w', '--stdin'], text);
  const tree = (lines: string[]) => git(['mktree', '--missing'], `${lines.join('\n')}\n`);
  const [one, two] = [blob('one\n'), blob('two\n')];
  const main = tree([
    `100644 blob ${one}\ta.txt`,
    `100644 blob ${one}\tb.txt`,
    `160000 commit ${w.head}\tsub`,
  ]);
  const inner = tree([`100644 blob ${two}\tx`]);
  const untracked = tree([
    `100644 blob ${two}\ta.txt`,
    `100644 blob ${one}\tb.txt`,
    `040000 tree ${inner}\tnew`,
  ]);
  const third = git(['commit-tree', untracked, '-m', 'untracked']);
  const parents = [w.head, w.head, third].flatMap((id) => ['-p', id]);
  // `commit-tree` drops a parent that is named twice.
  const second = git(['commit-tree', main, '-p', w.head, '-m', 'index']);
  parents[3] = second;
  const stash = git(['commit-tree', main, ...parents, '-m', 'stash']);
  git(['update-ref', 'refs/baton/salvage/task-8/1', stash]);
  const into = path.join(w.state.path, 'restored');
  mkdirSync(into);
  expect(await restoreSalvage(w.clone, 'refs/baton/salvage/task-8/1', { into })).toEqual({
    files: 3,
    missing: ['sub', 'a.txt'],
  });
  expect(readFileSync(path.join(into, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(path.join(into, 'new/x'), 'utf8')).toBe('two\n');
});
