import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  commitTask,
  createReadingGit,
  listAttempts,
  openClone,
  publishRefs,
  restoreSalvage,
  salvage,
} from '../src/index.ts';
import { git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const key = { taskId: '01a20000-0000-7000-8000-000000000001', fence: 3 };
const ref = `refs/baton/attempts/${key.taskId}/3`;
type Place = Awaited<ReturnType<typeof workspaces>>;

/** A commit on the target's head that holds one file. */
async function madeOf(w: Place, text: string, parent = w.head): Promise<string> {
  const at = { cwd: w.clone.path };
  const blob = await git(['hash-object', '-w', '--stdin'], { ...at, stdin: text });
  const tree = await git(['mktree'], { ...at, stdin: `100644 blob ${blob.stdout.trim()}\tmine.txt\n` });
  const commit = await git(['commit-tree', tree.stdout.trim(), '-p', parent, '-m', text], at);
  expect(commit.exitCode, commit.stderr).toBe(0);
  return commit.stdout.trim();
}

async function refsOf(w: Place): Promise<string[]> {
  const listed = await git(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/baton/attempts'], {
    cwd: w.clone.path,
  });
  return listed.stdout.trim().split('\n').sort();
}

test.each(['git', 'a git that answers without a process'])(
  'work of an earlier attempt stays when a later one has its number again, with %s',
  async (which) => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    const reading = createReadingGit({ git, env: process.env, stateDir: w.state.path });
    await using _end = { [Symbol.asyncDispose]: () => Promise.resolve(reading.close()) };
    const clone =
      which === 'git'
        ? w.clone
        : await openClone({ git: reading.git, stateDir: w.state.path, repoId: 'r1', location: w.repo.path });
    const [first, second] = [await madeOf(w, 'first'), await madeOf(w, 'second')];
    const third = await madeOf(w, 'third', second);
    for (const commit of [first, second, second, third])
      expect(await clone.keepAttempt({ ...key, commit })).toBe(ref);
    expect(await refsOf(w)).toEqual([`${ref} ${third}`, `${ref}.${first} ${first}`]);
    // A dump was restored once more.
    await clone.keepAttempt({ ...key, commit: first });
    expect(await refsOf(w)).toEqual(
      [`${ref} ${first}`, `${ref}.${first} ${first}`, `${ref}.${third} ${third}`].sort(),
    );
    await git(['gc', '--quiet', '--prune=now'], { cwd: w.clone.path });
    const told = await listAttempts(clone, key.taskId);
    expect(told.map(({ fence, title }) => [fence, title]).sort()).toEqual([
      [3, 'first'],
      [3, 'first'],
      [3, 'third'],
    ]);
    const into = path.join(w.state.path, 'into');
    await restoreSalvage(clone, `${ref}.${third}`, { into });
    expect(readFileSync(path.join(into, 'mine.txt'), 'utf8')).toBe('third');
  },
);

test('of several that keep an attempt of one number at once, none loses its work', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const commits = await Promise.all(['a', 'b', 'c', 'd'].map((text) => madeOf(w, text)));
  await Promise.all(commits.map((commit) => w.clone.keepAttempt({ ...key, commit })));
  const kept = new Set((await refsOf(w)).map((line) => line.split(' ')[1]));
  expect([...kept].sort()).toEqual([...commits].sort());
});

test('a ref whose commit is lost does not keep another from taking its place', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const [first, second] = [await madeOf(w, 'first'), await madeOf(w, 'second')];
  await w.clone.keepAttempt({ ...key, commit: first });
  writeFileSync(path.join(w.clone.path, ref), `${'4'.repeat(40)}\n`);
  await w.clone.keepAttempt({ ...key, commit: second });
  expect(await refsOf(w)).toEqual([`${ref} ${second}`]);
});

test('a secret-like file of an earlier attempt stays beside that of a later one with its number', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  for (const word of ['first', 'second']) {
    const space = await w.pool.acquire({ head: w.head, owner: key });
    writeFileSync(path.join(space.path, '.env'), `SECRET=${word}\n`);
    writeFileSync(path.join(space.path, 'a.txt'), `${word}\n`);
    await salvage(space, key);
    await commitTask(space, { git, startCommit: w.head, message: word, trailers: {} });
    await w.pool.release(space);
  }
  const folder = path.join(path.dirname(w.clone.path), 'kept-files', key.taskId, '3');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  expect(texts.sort()).toEqual(['SECRET=first\n', 'SECRET=second\n']);
});

test('a remote that has work of an earlier attempt under the same number gets the later one, and keeps both', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const remote = path.join(w.state.path, 'remote.git');
  const at = { cwd: w.clone.path };
  const run = async (cwd: string, ...args: string[]): Promise<string> => {
    const done = await git(args, { cwd });
    expect(done.exitCode, done.stderr).toBe(0);
    return done.stdout.trim();
  };
  await run(w.state.path, 'init', '--quiet', '--bare', remote);
  const location = `file://${remote}`;
  const [first, second, third] = [
    await madeOf(w, 'first'),
    await madeOf(w, 'second'),
    await madeOf(w, 'third'),
  ];
  const there = async () => {
    const lines = await run(remote, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/baton');
    return lines.split('\n').sort();
  };
  await run(w.clone.path, 'push', '--quiet', remote, `${first}:${ref}`);
  await w.clone.keepAttempt({ ...key, commit: second });
  expect(await publishRefs(w.clone, { location, refs: [ref] })).toEqual({ ok: true });
  expect(await there()).toEqual([`${ref} ${second}`, `${ref}.${first} ${first}`]);

  // All refs of a task at once; one is a list, which is no commit, and one is new there.
  const lists = `refs/baton/left-out/${key.taskId}`;
  const listOf = async (text: string) =>
    (await git(['hash-object', '-w', '--stdin'], { ...at, stdin: text })).stdout.trim();
  const [old, now] = [await listOf('old'), await listOf('now')];
  await run(w.clone.path, 'push', '--quiet', remote, `${old}:${lists}/3`);
  await run(w.clone.path, 'update-ref', `${lists}/3`, now);
  await run(w.clone.path, 'update-ref', `${lists}/4`, now);
  expect(await publishRefs(w.clone, { location, refs: [`${lists}/*`] })).toEqual({ ok: true });
  expect((await there()).filter((line) => line.startsWith(lists))).toEqual([
    `${lists}/3 ${now}`,
    `${lists}/3.${old} ${old}`,
    `${lists}/4 ${now}`,
  ]);

  // What another host pushed meanwhile is not known to this clone.
  await run(remote, 'gc', '--quiet');
  const other = path.join(w.state.path, 'other');
  await run(w.state.path, 'clone', '--quiet', w.repo.path, other);
  await run(other, 'commit', '--quiet', '--allow-empty', '-m', 'of another host');
  const theirs = await run(other, 'rev-parse', 'HEAD');
  await run(other, 'push', '--quiet', remote, `+HEAD:${ref}`);
  await w.clone.keepAttempt({ ...key, commit: third });
  expect(await publishRefs(w.clone, { location, refs: [ref] })).toEqual({ ok: true });
  expect(await there()).toContain(`${ref}.${theirs} ${theirs}`);
  expect(await there()).toContain(`${ref} ${third}`);
});
