import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { lockHolder, openClone } from '../src/index.ts';
import { supervisorVariable } from '../src/process/process-table.ts';
import { removeStaleLocks } from '../src/git/stale-locks.ts';
import { clock, git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

function lock(file: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  return file;
}

test('locks that a killed git left in the clone and at our refs in the user’s repository are gone at the next opening, the user’s own stay', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const dot = path.join(w.repo.path, '.git');
  await w.clone.fetchTarget('main');
  const fetched = await git(['for-each-ref', '--format=%(refname)', 'refs/baton/fetched'], {
    cwd: w.clone.path,
  });
  const ours = [
    lock(path.join(w.clone.path, `${fetched.stdout.trim()}.lock`)),
    lock(path.join(w.clone.path, 'packed-refs.lock')),
    lock(path.join(dot, 'refs/baton/lane/store/main.lock')),
    lock(path.join(dot, 'refs/heads/baton/run.lock')),
  ];
  const users = [lock(path.join(dot, 'index.lock')), lock(path.join(dot, 'refs/heads/main.lock'))];
  await w.repo.write({ 'b.txt': 'b\n' });
  const repoId = path.basename(path.dirname(w.clone.path));
  const stateDir = path.resolve(w.clone.path, '../../..');
  const again = await openClone({ git, stateDir, repoId, location: w.repo.path });
  expect(ours.filter((file) => existsSync(file))).toEqual([]);
  expect(users.filter((file) => existsSync(file))).toEqual(users);
  expect(await again.fetchTarget('main')).toBe(w.head);
});

test('a lock stays while a git of ours lives that could hold it', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const holder = spawn('git', ['update-ref', '--stdin'], {
    cwd: w.clone.path,
    env: { PATH: process.env['PATH'], [supervisorVariable]: 'test' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => holder.once('close', resolve));
  holder.stdin.write(`start\nupdate refs/baton/held ${w.head}\nprepare\n`);
  const file = path.join(w.clone.path, 'refs/baton/held.lock');
  await until(async () => existsSync(file) || undefined, { what: 'git holds the lock' });
  const removing = removeStaleLocks({
    places: [path.join(w.clone.path, 'refs')],
    roots: [w.clone.path],
  });
  holder.stdin.end('commit\n');
  await ended;
  expect(await removing).toEqual([]);
  expect(await w.clone.resolve('refs/baton/held')).toBe(w.head);
});

/** A git of some Baton that stands at a lock of its own until it is told to go on. */
async function gitAtWork(at: { path: string }, head: string) {
  const child = spawn('git', ['update-ref', '--stdin'], {
    cwd: at.path,
    env: { PATH: process.env['PATH'], [supervisorVariable]: 'other:1:1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write(`start\nupdate refs/baton/held ${head}\nprepare\n`);
  const file = path.join(at.path, 'refs/baton/held.lock');
  await until(async () => existsSync(file) || undefined, { what: 'git holds the lock' });
  return {
    file,
    async end() {
      child.stdin.end('commit\n');
      await ended;
    },
  };
}

test('a git that works for another project delays nothing here, whether there are locks here or not', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  await using other = await workspaces({ 'a.txt': 'one\n' });
  const git = await gitAtWork(other.clone, other.head);
  const bare = { places: [path.join(w.clone.path, 'packed-refs.lock')], roots: [w.clone.path] };
  const startedMs = clock.monotonicMs();
  expect(await removeStaleLocks(bare)).toEqual([]);
  const stale = lock(path.join(w.clone.path, 'packed-refs.lock'));
  expect(await removeStaleLocks(bare)).toEqual([stale]);
  expect(clock.monotonicMs() - startedMs).toBeLessThan(2_000);
  await git.end();
});

test('a lock that is younger than none of the gits at work is removed after all have ended, one that is older at once', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const old = lock(path.join(w.clone.path, 'packed-refs.lock'));
  utimesSync(old, 1_000_000, 1_000_000);
  const git = await gitAtWork(w.clone, w.head);
  const places = [old, path.join(w.clone.path, 'refs')];
  const removing = removeStaleLocks({ places, roots: [w.clone.path] });
  await until(async () => !existsSync(old) || undefined, { what: 'the old lock is gone' });
  expect(existsSync(git.file)).toBe(true);
  await git.end();
  expect(await removing).toEqual([old]);
  expect(await w.clone.resolve('refs/baton/held')).toBe(w.head);
});

test('what a git that ended had half written of objects is gone at the next opening, and nothing else that is called so', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const objects = path.join(w.clone.path, 'objects');
  const halves = [
    lock(path.join(objects, 'e2/tmp_obj_2GCAU3')),
    lock(path.join(objects, 'pack/tmp_pack_x1Y2z3')),
  ];
  await git(['update-ref', 'refs/baton/tmp_obj_abcdef', w.head], { cwd: w.clone.path });
  const repoId = path.basename(path.dirname(w.clone.path));
  const stateDir = path.resolve(w.clone.path, '../../..');
  const again = await openClone({ git, stateDir, repoId, location: w.repo.path });
  expect(halves.filter((file) => existsSync(file))).toEqual([]);
  expect(await again.resolve('refs/baton/tmp_obj_abcdef')).toBe(w.head);
});

/** A person's `git commit --all` that waits for its editor, and so holds the lock of the index. */
async function commitInEditor(repo: string) {
  const child = spawn('git', ['-C', repo, 'commit', '--all', '--quiet'], {
    env: { PATH: process.env['PATH'], HOME: repo, GIT_EDITOR: 'read -r line <&3; false' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const file = path.join(repo, '.git/index.lock');
  await until(async () => existsSync(file) || undefined, { what: 'git holds the lock of the index' });
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
    child.stdio[3]?.destroy(); // the editor reads from it
  };
  return { pid: child.pid, file, end };
}

test.skipIf(process.platform !== 'linux')(
  'a lock that a person’s living git may hold names it; gits elsewhere, of readers and younger than the lock do not count',
  async () => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    await using other = await workspaces({ 'a.txt': 'one\n' });
    const roots = [path.join(w.repo.path, '.git'), w.repo.path];
    const old = lock(path.join(w.repo.path, '.git/refs/heads/main.lock'));
    utimesSync(old, 1_000_000, 1_000_000);
    await w.repo.write({ 'a.txt': 'two\n' });
    await other.repo.write({ 'a.txt': 'two\n' });
    const elsewhere = await commitInEditor(other.repo.path);
    const reader = spawn('git', ['cat-file', '--batch'], { cwd: w.repo.path });
    const left = lock(path.join(w.repo.path, '.git/HEAD.lock'));
    expect(lockHolder({ file: left, roots })).toBeNull();
    rmSync(left);
    const here = await commitInEditor(w.repo.path);
    expect(lockHolder({ file: here.file, roots })).toBe(here.pid);
    expect(lockHolder({ file: old, roots })).toBeNull();
    await here.end();
    expect(lockHolder({ file: lock(here.file), roots })).toBeNull();
    reader.kill();
    await elsewhere.end();
  },
);
