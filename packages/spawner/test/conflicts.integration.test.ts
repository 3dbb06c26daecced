import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commitTask, startTask, unresolvedFiles } from '../src/index.ts';
import { git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const owner = { taskId: 't1', fence: 1 };
const odd = 'an [odd] *name "ü".txt';

/** Work that changed and deleted files which have changed on the target since. */
async function conflict() {
  const w = await workspaces({ 'a.txt': 'one\n', [odd]: 'one\n', 'gone.txt': 'one\n', 'b.txt': 'b\n' });
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const write = (name: string, text: string) => writeFileSync(path.join(workspace.path, name), text);
  const read = (name: string) => readFileSync(path.join(workspace.path, name), 'utf8');
  write('a.txt', 'agent\n');
  write(odd, 'agent\n');
  write('b.txt', 'b by the agent\n');
  rmSync(path.join(workspace.path, 'gone.txt'));
  const commit = (startCommit: string) =>
    commitTask(workspace, { git, startCommit, message: 'work', trailers: {} });
  const { headCommit } = await commit(w.head);
  await w.repo.commit({ 'a.txt': 'user\n', [odd]: 'user\n', 'gone.txt': 'user\n' }, 'the user, too');
  const head = await w.clone.fetchTarget('main');
  const range = { startCommit: w.head, headCommit };
  return {
    w,
    workspace,
    head,
    range,
    write,
    read,
    commit,
    [Symbol.asyncDispose]: () => w[Symbol.asyncDispose](),
  };
}

test('work that conflicts is laid with both sides of each file, and what merges is merged', async () => {
  await using c = await conflict();
  const start = await startTask(c.workspace, { head: c.head, conflicted: c.range });
  expect(start).toMatchObject({ startCommit: c.head, continued: true });
  expect([...start.conflicts].sort()).toEqual(['a.txt', odd, 'gone.txt']);
  expect(c.read('a.txt')).toMatch(/^<<<<<<< [0-9a-f]{40}\nuser\n=======\nagent\n>>>>>>> [0-9a-f]{40}\n$/);
  expect(c.read('b.txt')).toBe('b by the agent\n');
  expect(existsSync(path.join(c.workspace.path, 'gone.txt'))).toBe(true);
});

test('files that still hold a marker are named, and no others', async () => {
  await using c = await conflict();
  const { conflicts: files } = await startTask(c.workspace, { head: c.head, conflicted: c.range });
  const clone = c.w.clone;
  c.write('b.txt', `<<<<<<< ${'a'.repeat(40)}\n`);
  const left = await c.commit(c.head);
  expect(await unresolvedFiles(clone, { commit: left.headCommit, files })).toEqual(['a.txt', odd].sort());
  c.write(odd, 'both\n');
  const less = await c.commit(c.head);
  expect(await unresolvedFiles(clone, { commit: less.headCommit, files })).toEqual(['a.txt']);
  c.write('a.txt', '<<<<<<< HEAD\nan example of a marker\n');
  const done = await c.commit(c.head);
  expect(await unresolvedFiles(clone, { commit: done.headCommit, files })).toEqual([]);
  expect(await unresolvedFiles(clone, { commit: done.headCommit, files: [] })).toEqual([]);
});

test('work that merges by now is taken over, and rejected work that conflicts is not', async () => {
  await using c = await conflict();
  const clean = await startTask(c.workspace, { head: c.range.startCommit, conflicted: c.range });
  expect(clean).toMatchObject({ continued: true, conflicts: [] });
  expect(c.read('a.txt')).toBe('agent\n');
  const rejected = await startTask(c.workspace, { head: c.head, continueFrom: c.range });
  expect(rejected).toMatchObject({ continued: false, conflicts: [] });
  expect(c.read('a.txt')).toBe('user\n');
});
