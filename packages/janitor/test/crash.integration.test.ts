import { access, mkdir, readFile, readlink, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { gitEnded, landingLockFiles, openLaneRef, settleIntent } from '../src/index.ts';
import { candidateFor, land, scene, takeLane, type Scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
const change = { 'a.txt': 'changed\n', 'b.txt': null, 'c.txt': 'new\n' };

async function begin(target: string) {
  const here = await scene(files, { target });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const lockFiles = await landingLockFiles({ git, repo: here.user, target, laneRef: here.lane.ref });
  return {
    here,
    made,
    intent: { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles } },
  };
}

const settle = (here: Scene, intent: Parameters<typeof settleIntent>[0]['intent'], holderDead = true) =>
  settleIntent({ git, repo: here.user, target: here.target, intent, holderDead });

/** What the next holder does: takes the lane, and lands the same candidate again unless it landed. */
async function succeed(here: Scene, to: string): Promise<number> {
  const lane = await takeLane({ repo: here.user, target: here.target, epoch: 2, holder: 'worker-2' });
  await land(here, { from: here.base, to, landingId: 'l2', lane });
  return Number(await sh(here.user, 'rev-list', '--count', `${here.base}..${here.target}`));
}

test.each(['work', 'main'])(
  'dead before the refs moved (target %s): not landed, and the next holder lands it once',
  async (target) => {
    const { here, made, intent } = await begin(target);
    await takeLane({ repo: here.user, target, epoch: 2, holder: 'worker-2' });
    expect(await settle(here, intent)).toBe(false);
    expect(await succeed(here, made.commit)).toBe(1);
  },
);

test.each(['work', 'main'])(
  'dead after the refs moved (target %s): landed, and never merged twice',
  async (target) => {
    const { here, made, intent } = await begin(target);
    await land(here, { from: here.base, to: made.commit, landingId: 'l1' });
    await takeLane({ repo: here.user, target, epoch: 2, holder: 'worker-2' });
    expect(await settle(here, intent)).toBe(true);
    expect(await succeed(here, made.commit)).toBe(1);
  },
);

test('landed stays landed when others have moved the target on', async () => {
  const { here, made, intent } = await begin('work');
  const moved = await land(here, { from: here.base, to: made.commit, landingId: 'l1' });
  if (moved.kind !== 'moved') throw new Error(moved.kind);
  const next = await candidateFor(here, { from: made.commit, files: { 'd.txt': 'd\n' }, landingId: 'l2' });
  await land(here, { from: made.commit, to: next.commit, landingId: 'l2', lane: moved.lane });
  expect(await settle(here, intent)).toBe(true);
});

test('locks that a dead holder left keep the lane shut until settling removes just those', async () => {
  const { here, made, intent } = await begin('main');
  const other = join(here.user, '.git', 'config.lock');
  for (const file of [...intent.holder.lockFiles, other]) {
    await write('/', { [file.slice(1)]: '' });
  }
  const open = () =>
    openLaneRef({ git, repo: here.user, storeId: 'store', target: 'main', epoch: 2, holder: 'worker-2' });
  await expect(open()).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await settle(here, intent, false)).toBe(false);
  await expect(open(), 'a living holder keeps its locks').rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await settle(here, intent)).toBe(false);
  await access(other);
  expect(await succeed(here, made.commit)).toBe(1);
});

test('a file outside the git folder is never removed as a lock', async () => {
  const { here, intent } = await begin('work');
  const precious = join(here.folder, 'precious.lock');
  await writeFile(precious, 'x');
  const holder = { lockFiles: [precious] };
  await expect(settle(here, { ...intent, holder })).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  await access(precious);
});

test.each(['files written, index old', 'a file cut off', 'index written too'])(
  'dead in the middle of a fast-forward (%s): the checkout is put back, then lands',
  async (how) => {
    const { here, made, intent } = await begin('main');
    const before = await here.repo.snapshot();
    await write(here.user, change);
    if (how === 'a file cut off') await truncate(join(here.user, 'a.txt'), 3);
    if (how === 'index written too') await sh(here.user, 'read-tree', made.commit);
    expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
      kind: 'blocked',
    });
    expect(await settle(here, intent)).toBe(false);
    expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
    expect(await sh(here.user, 'status', '--porcelain')).toBe('');
    expect(await succeed(here, made.commit)).toBe(1);
  },
);

test("a half-done fast-forward with an edit of the user's in it is left exactly as it is", async () => {
  const { here, intent } = await begin('main');
  await write(here.user, { ...change, 'a.txt': 'my own words\n' });
  expect(await settle(here, intent)).toBe(false);
  expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('my own words\n');
  expect(await readFile(join(here.user, 'c.txt'), 'utf8')).toBe('new\n');
});

test("what a dead fast-forward left is put back, and edits of the user's that git does not show stay", async () => {
  const here = await scene({ ...files, 'mine.txt': 'mine\n' }, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const intent = { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles: [] } };
  await sh(here.user, 'update-index', '--assume-unchanged', 'mine.txt');
  await write(here.user, { ...change, 'mine.txt': 'my own words\n' });
  expect(await settle(here, intent)).toBe(false);
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
  expect(await readFile(join(here.user, 'mine.txt'), 'utf8')).toBe('my own words\n');
  expect(await sh(here.user, 'ls-files', '-v', 'mine.txt')).toBe('h mine.txt');
});

test('a link and a folder that the user put in place of changed files are left exactly as they are', async () => {
  const { here, intent } = await begin('main');
  await write(here.user, { ...change, 'a.txt': null });
  await symlink('nowhere', join(here.user, 'a.txt'));
  expect(await settle(here, intent)).toBe(false);
  expect(await readlink(join(here.user, 'a.txt'))).toBe('nowhere');
  await write(here.user, { ...change, 'a.txt': null });
  await mkdir(join(here.user, 'a.txt'));
  await writeFile(join(here.user, 'a.txt', 'mine'), 'mine');
  expect(await settle(here, intent)).toBe(false);
  await access(join(here.user, 'a.txt', 'mine'));
  expect(await readFile(join(here.user, 'c.txt'), 'utf8')).toBe('new\n');
});

test('a fast-forward that died while a file took the place of a folder is put back', async () => {
  const here = await scene({ 'd/x.txt': 'x\n', e: 'e\n' }, { target: 'main' });
  const before = await here.repo.snapshot();
  const swapped = { d: 'd\n', e: null, 'e/y.txt': 'y\n' };
  const made = await candidateFor(here, { from: here.base, files: swapped, landingId: 'l1' });
  const intent = { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles: [] } };
  await write(here.user, swapped);
  expect(await settle(here, intent)).toBe(false);
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
  expect(diffSnapshots(before, await here.repo.snapshot(), { except: [/^ref refs\/baton\//] })).toEqual([]);
});

test("a lock of another git that is there before the landing is none of the landing's, and stays", async () => {
  const here = await scene(files, { target: 'work' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const foreign = join(here.user, '.git/refs/heads/work.lock');
  await writeFile(foreign, '');
  const lockFiles = await landingLockFiles({ git, repo: here.user, target: 'work', laneRef: here.lane.ref });
  expect(lockFiles).toEqual([join(here.user, '.git', `${here.lane.ref}.lock`)]);
  const refused: unknown = await land(here, { from: here.base, to: made.commit, landingId: 'l1' }).catch(
    (cause: unknown) => cause,
  );
  expect(gitEnded(refused)).toBe(true);
  const intent = { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles } };
  expect(await settle(here, intent)).toBe(false);
  await access(foreign);
});

test('a submodule with edits of its own does not keep a half-done fast-forward from being put back', async () => {
  const lib = await scene({ 'lib.txt': 'lib\n' });
  const here = await scene(files, { target: 'main' });
  await sh(here.user, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.user, 'lib');
  const base = await commit(here.user, {}, 'submodule');
  await sh(here.clone, 'fetch', '--quiet', here.user, 'main');
  const made = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
  await write(here.user, { 'lib/lib.txt': 'edited\n', 'a.txt': 'changed\n', 'c.txt': 'new\n' });
  const intent = { fromCommit: base, candidateCommit: made.commit, holder: { lockFiles: [] } };
  expect(await settle(here, intent)).toBe(false);
  expect(await sh(here.user, 'status', '--porcelain', '--ignore-submodules=dirty')).toBe('');
  expect(await readFile(join(here.user, 'lib/lib.txt'), 'utf8')).toBe('edited\n');
});
