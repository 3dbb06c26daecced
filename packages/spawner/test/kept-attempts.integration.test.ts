import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  commitTask,
  createReadingGit,
  listAttempts,
  openClone,
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
