import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import { commitTask } from '../src/index.ts';
import { git, node } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const owner = { taskId: 't1', fence: 1 };
const files = { 'package-lock.json': '1', '.gitignore': 'node_modules\n.env.test\n' };
const install = node(
  'const fs=require("fs");fs.mkdirSync("node_modules/x",{recursive:true});fs.appendFileSync("node_modules/x/runs","run\\n");fs.writeFileSync("made-by-setup.txt",process.env.BATON_PORT_BASE);fs.appendFileSync("package-lock.json"," ")',
);

test('the set-up command runs once for a state of the lock files; what it made survives resets and is never committed', async () => {
  const setup = workspaceSetup.parse({ setup: install });
  await using w = await workspaces(files, setup);
  const first = await w.pool.acquire({ head: w.head, owner });
  expect(readFileSync(path.join(first.path, 'made-by-setup.txt'), 'utf8')).toBe(String(first.portBase));
  expect(await agentGit(first.path, 'status', '--porcelain')).toBe('');
  expect((await commitTask(first, { git, startCommit: w.head, message: 'm', trailers: {} })).empty).toBe(
    true,
  );
  writeFileSync(path.join(first.path, 'mine.txt'), 'x');
  expect(
    (await commitTask(first, { git, startCommit: w.head, message: 'm', trailers: {} })).changedPaths,
  ).toEqual(['mine.txt']);
  await w.pool.release(first);

  const again = await w.pool.acquire({ head: w.head, owner: null });
  const runs = () =>
    readFileSync(path.join(again.path, 'node_modules/x/runs'), 'utf8').split('\n').length - 1;
  expect([again.path, runs()]).toEqual([first.path, 1]);
  await w.pool.release(again);

  const head = await w.repo.commit({ 'package-lock.json': '2' }, 'new lock file');
  await w.clone.fetchTarget('main');
  expect((await w.pool.acquire({ head, owner: null })).path).toBe(first.path);
  expect(runs()).toBe(2);
});

test('a set-up of which an agent deleted something is run again', async () => {
  await using w = await workspaces(files, workspaceSetup.parse({ setup: install }));
  const first = await w.pool.acquire({ head: w.head, owner });
  rmSync(path.join(first.path, 'node_modules'), { recursive: true });
  await w.pool.release(first);
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(existsSync(path.join(again.path, 'node_modules/x/runs'))).toBe(true);
});

test("folders to be shared are copied, so that no agent writes into the user's; copied files are fresh each time", async () => {
  const setup = workspaceSetup.parse({ symlink: ['node_modules', 'missing'], copy: ['.env.test'] });
  await using w = await workspaces(files, setup);
  await w.repo.write({ 'node_modules/dep/index.js': 'original', '.env.test': 'A=1' });
  const first = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(first.path, 'node_modules/dep/index.js'), 'changed by the agent');
  writeFileSync(path.join(first.path, '.env.test'), 'A=2');
  expect(readFileSync(path.join(w.repo.path, 'node_modules/dep/index.js'), 'utf8')).toBe('original');
  expect((await commitTask(first, { git, startCommit: w.head, message: 'm', trailers: {} })).empty).toBe(
    true,
  );
  expect(await w.pool.release(first)).toBeNull();
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(again.path).toBe(first.path);
  expect(readFileSync(path.join(again.path, '.env.test'), 'utf8')).toBe('A=1');
  await w.pool.release(again);
  await w.repo.write({ 'node_modules/.package-lock.json': 'installed anew' });
  const third = await w.pool.acquire({ head: w.head, owner: null });
  expect(readFileSync(path.join(third.path, 'node_modules/dep/index.js'), 'utf8')).toBe('original');
});

test('a set-up that fails says so with the end of its output, and its worktree is free again', async () => {
  const failing = workspaceSetup.parse({
    setup: node('console.log("working");console.error("no such package: left-pad");process.exit(4)'),
  });
  await using w = await workspaces(files, failing);
  const attempt = w.pool.acquire({ head: w.head, owner });
  await expect(attempt).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    message: expect.stringContaining('no such package: left-pad'),
    details: { exitCode: 4 },
  });
  await expect(w.pool.acquire({ head: w.head, owner })).rejects.toMatchObject({ code: 'SETUP_FAILED' });
  expect(existsSync(path.join(w.poolOptions.dir, 'agent', 'w2'))).toBe(false);
});

test('a copied path that leads outside through a link is refused', async () => {
  await using w = await workspaces(files, workspaceSetup.parse({ copy: ['link/passwd'] }));
  const { symlinkSync } = await import('node:fs');
  symlinkSync('/etc', path.join(w.repo.path, 'link'));
  await expect(w.pool.acquire({ head: w.head, owner })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
});
