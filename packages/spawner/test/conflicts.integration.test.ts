import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commitTask, startTask, unresolvedFiles, type Conflicts } from '../src/index.ts';
import { git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const owner = { taskId: 't1', fence: 1 };
const odd = 'an [odd] *name "ü".txt';
const files = { 'a.txt': 'one\n', [odd]: 'one\n', 'gone.txt': 'one\n', 'kept.txt': 'one\n', 'b.txt': 'b\n' };
const lines = (last: string, end = '\n') =>
  ['1', '2', '3', '4', '5', '6', '7', last].map((line) => line + end).join('');

/** Work whose tree is changed by `agent`, on a target that `user` changed since. */
async function conflict(
  agent: (tree: string) => void,
  { user, more = {} }: { user: Record<string, string | null>; more?: Record<string, string> },
) {
  const w = await workspaces({ ...files, ...more });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  agent(workspace.path);
  const commit = (startCommit: string) =>
    commitTask(workspace, { git, startCommit, message: 'work', trailers: {} });
  const { headCommit } = await commit(w.head);
  await w.repo.commit(user, 'the user, too');
  const head = await w.clone.fetchTarget('main');
  const range = { startCommit: w.head, headCommit };
  const lay = () => startTask(workspace, { head, conflicted: range });
  const left = async (conflicts: Conflicts) =>
    unresolvedFiles(w.clone, { from: head, to: (await commit(head)).headCommit, conflicts });
  const at = (name: string) => path.join(workspace.path, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  return {
    w,
    workspace,
    head,
    range,
    lay,
    left,
    at,
    read,
    [Symbol.asyncDispose]: () => w[Symbol.asyncDispose](),
  };
}

const both = () =>
  conflict(
    (tree) => {
      for (const name of ['a.txt', odd, 'kept.txt']) writeFileSync(path.join(tree, name), 'agent\n');
      writeFileSync(path.join(tree, 'b.txt'), 'b by the agent\n');
      rmSync(path.join(tree, 'gone.txt'));
    },
    { user: { 'a.txt': 'user\n', [odd]: 'user\n', 'gone.txt': 'user\n', 'kept.txt': null } },
  );

const taken = (conflicts: Conflicts | null): Conflicts => {
  if (conflicts === null) throw new Error('nothing was taken over');
  return conflicts;
};

test('work that conflicts is laid with both sides of each file, says what happened to it, and merges the rest', async () => {
  await using c = await both();
  const start = await c.lay();
  expect(start).toMatchObject({ startCommit: c.head, continued: true });
  const { files: open, sides } = taken(start.conflicts);
  expect(sides).toEqual([c.head, c.range.headCommit]);
  expect(Object.fromEntries(open.map(({ path: name, what }) => [name, what]))).toEqual({
    'a.txt': 'changed on both sides',
    [odd]: 'changed on both sides',
    'gone.txt': 'changed on the target, deleted or moved by the earlier work',
    'kept.txt': 'deleted or moved on the target, changed by the earlier work',
  });
  expect(c.read('a.txt')).toMatch(/^<<<<<<< [0-9a-f]{40}\nuser\n=======\nagent\n>>>>>>> [0-9a-f]{40}\n$/);
  expect(c.read('b.txt')).toBe('b by the agent\n');
  expect(existsSync(c.at('gone.txt'))).toBe(true);
});

test('files with what git wrote around a conflict are named, moved ones too, and no others', async () => {
  await using c = await both();
  const conflicts = taken((await c.lay()).conflicts);
  writeFileSync(c.at('b.txt'), `<<<<<<< ${'a'.repeat(40)}\nan example\n>>>>>>> HEAD\n`);
  mkdirSync(c.at('elsewhere'));
  renameSync(c.at('a.txt'), c.at('elsewhere/a.txt'));
  expect(await c.left(conflicts)).toEqual([odd, 'elsewhere/a.txt']);
  writeFileSync(c.at(odd), 'both\n');
  writeFileSync(c.at('elsewhere/a.txt'), `both\n>>>>>>> ${conflicts.names[1]}\n`);
  expect(await c.left(conflicts)).toEqual(['elsewhere/a.txt']);
  writeFileSync(c.at('elsewhere/a.txt'), 'both\n');
  expect(await c.left(conflicts)).toEqual([]);
});

test('lines with a carriage return, of a renamed file and beside a folder are found', async () => {
  await using c = await conflict(
    (tree) => {
      writeFileSync(path.join(tree, 'dos.txt'), lines('agent', '\r\n'));
      renameSync(path.join(tree, 'old.txt'), path.join(tree, 'new.txt'));
      writeFileSync(path.join(tree, 'new.txt'), lines('agent'));
      writeFileSync(path.join(tree, 'place'), 'a file\n');
    },
    {
      more: { 'dos.txt': lines('base', '\r\n'), 'old.txt': lines('base') },
      user: { 'dos.txt': lines('user', '\r\n'), 'old.txt': lines('user'), 'place/inside.txt': 'a folder\n' },
    },
  );
  const conflicts = taken((await c.lay()).conflicts);
  expect(await c.left(conflicts)).toEqual([
    'dos.txt',
    'new.txt',
    expect.stringMatching(/^place~[0-9a-f]{40}$/) as string,
  ]);
});

test('a link that both changed is said to be open, and has nothing to be removed', async () => {
  await using c = await conflict((tree) => symlinkSync('agent', path.join(tree, 'link')), {
    user: { link: 'a file\n' },
  });
  const conflicts = taken((await c.lay()).conflicts);
  expect(conflicts.files.length).toBeGreaterThan(0);
});

test('work that merges by now is taken over and says so, and rejected work that conflicts is not', async () => {
  await using c = await both();
  const clean = await startTask(c.workspace, { head: c.range.startCommit, conflicted: c.range });
  expect(clean).toMatchObject({ continued: true, conflicts: { files: [] } });
  expect(c.read('a.txt')).toBe('agent\n');
  const rejected = await startTask(c.workspace, { head: c.head, continueFrom: c.range });
  expect(rejected).toMatchObject({ continued: false, conflicts: null });
  expect(c.read('a.txt')).toBe('user\n');
});
