import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createWorkspacePool, listLeftOut, startTask } from '../src/index.ts';
import { commit, owner } from './support/at-work.ts';
import { node } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const files = { 'a.txt': 'one\n', '.gitignore': 'node_modules\nmade/\n.env\n' };
const copying = workspaceSetup.parse({ symlink: ['node_modules'], copy: ['.env'] });
const installing = workspaceSetup.parse({
  setup: node(
    'const fs=require("fs");fs.mkdirSync("made/dep",{recursive:true});fs.writeFileSync("made/dep/index.js","original");fs.appendFileSync(process.env.BATON_TEST_RUNS,"run\\n")',
  ),
});

/** What one attempt is said to have left: `reason name (detail)`. */
async function leftBy(clone: Parameters<typeof listLeftOut>[0]): Promise<string[]> {
  const [list] = await listLeftOut(clone, owner.taskId);
  return (list?.leftOut ?? []).map(({ file, reason, detail }) => `${reason} ${file} (${detail})`).sort();
}

/** A repository whose packages lie in the user's checkout. */
async function withPackages(setup = copying) {
  const w = await workspaces(files, setup);
  await w.repo.write({
    'node_modules/dep/index.js': 'original',
    'node_modules/dep/gone.js': '',
    '.env': 'A=1',
  });
  return w;
}

test('what an agent does inside what set-up made is named, and the next task gets set-up as it was', async () => {
  await using w = await withPackages();
  const first = await w.pool.acquire({ head: w.head, owner });
  const at = (file: string) => path.join(first.path, file);
  mkdirSync(at('node_modules/own/deep'), { recursive: true });
  for (const file of [
    'node_modules/dep/index.js',
    'node_modules/dep/new.js',
    'node_modules/own/deep/work.js',
    '.env',
  ])
    writeFileSync(at(file), 'by the agent');
  rmSync(at('node_modules/dep/gone.js'));
  expect((await commit(first, w.head)).empty).toBe(true);
  expect(await w.pool.release(first)).toBeNull();
  expect(await leftBy(w.clone)).toEqual([
    'set_up .env (changed)',
    'set_up node_modules/dep/index.js (changed)',
    'set_up node_modules/dep/new.js (added)',
    'set_up node_modules/own/ (added)',
  ]);
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(again.path).toBe(first.path);
  expect(readFileSync(at('node_modules/dep/index.js'), 'utf8')).toBe('original');
  expect(existsSync(at('node_modules/dep/gone.js'))).toBe(true);
  for (const file of ['node_modules/own', 'node_modules/dep/new.js'])
    expect(existsSync(at(file))).toBe(false);
});

test('what was only added to what a set-up command made is removed; it runs again where something was changed', async () => {
  await using w = await workspaces(files, installing);
  const runs = path.join(w.state.path, 'runs');
  const pool = createWorkspacePool({
    ...w.poolOptions,
    env: { ...w.poolOptions.env, BATON_TEST_RUNS: runs },
  });
  const runCount = () => readFileSync(runs, 'utf8').split('\n').length - 1;
  const work = async (act: (tree: string) => void): Promise<string> => {
    const space = await pool.acquire({ head: w.head, owner });
    act(space.path);
    await pool.release(space);
    return space.path;
  };
  const tree = await work((at) => writeFileSync(path.join(at, 'made/cache'), 'of the agent'));
  // Another name of a file, as stores of packages make it, is no change.
  await work((at) => {
    expect(existsSync(path.join(at, 'made/cache'))).toBe(false);
    linkSync(path.join(at, 'made/dep/index.js'), path.join(w.state.path, 'name'));
  });
  expect(runCount()).toBe(1);
  await work((at) => writeFileSync(path.join(at, 'made/dep/index.js'), 'poisoned'));
  await work((at) => expect(readFileSync(path.join(at, 'made/dep/index.js'), 'utf8')).toBe('original'));
  expect(runCount()).toBe(2);
  expect(tree).toContain('w1');
  await pool.close();
});

test('the next task of a batch begins with set-up as it was, copied files included', async () => {
  await using w = await withPackages();
  const space = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(space.path, 'node_modules/dep/index.js'), 'by the agent');
  writeFileSync(path.join(space.path, '.env'), 'A=2');
  const head = await w.repo.commit({ 'a.txt': 'two\n' }, 'moved on');
  await w.clone.fetchTarget('main');
  await startTask(space, { head, setUp: (workspace) => w.pool.setUp(workspace) });
  expect(readFileSync(path.join(space.path, 'node_modules/dep/index.js'), 'utf8')).toBe('original');
  expect(readFileSync(path.join(space.path, '.env'), 'utf8')).toBe('A=1');
});

test('nothing is removed through a link that an agent put in place of a folder', async () => {
  const setup = workspaceSetup.parse({ symlink: ['deep/packages'] });
  await using w = await workspaces({ ...files, '.gitignore': 'deep/packages\n', 'deep/a': '' }, setup);
  await w.repo.write({ 'deep/packages/dep.js': 'original' });
  const space = await w.pool.acquire({ head: w.head, owner });
  const outside = path.join(w.state.path, 'outside');
  mkdirSync(path.join(outside, 'packages'), { recursive: true });
  writeFileSync(path.join(outside, 'packages/mine.js'), 'mine');
  rmSync(path.join(space.path, 'deep'), { recursive: true });
  symlinkSync(outside, path.join(space.path, 'deep'));
  await w.pool.release(space);
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(readFileSync(path.join(outside, 'packages/mine.js'), 'utf8')).toBe('mine');
  expect(readFileSync(path.join(again.path, 'deep/packages/dep.js'), 'utf8')).toBe('original');
});
