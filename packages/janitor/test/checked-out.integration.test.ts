import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { landingLockFiles, moveTarget, prepareTarget } from '../src/index.ts';
import { candidateFor, land, scene, takeLane } from './helpers/landing.ts';
import { plantHooks } from './helpers/planted.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'old.txt': 'old\n', '.gitignore': 'ignored/\n' };
const change = { 'a.txt': 'b\n', 'old.txt': null, 'folder/new.txt': 'new\n' };

test('a target that is checked out is fast-forwarded with its index and working tree, and no hook runs', async () => {
  const here = await scene(files, { target: 'main' });
  await write(here.user, { 'notes.txt': 'untracked\n', 'ignored/x': 'x\n' });
  const hooks = await plantHooks(here.user);
  const before = await here.repo.snapshot();
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
  expect(await sh(here.user, 'rev-parse', 'HEAD', 'main')).toBe(`${made.commit}\n${made.commit}`);
  expect(await sh(here.user, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(await sh(here.user, 'status', '--porcelain')).toBe('?? notes.txt');
  expect(await readFile(join(here.user, 'folder/new.txt'), 'utf8')).toBe('new\n');
  expect(await hooks.ran()).toBe('');
  const changed = diffSnapshots(before, await here.repo.snapshot(), {
    except: [/^(file|index) (a|old|folder\/new)\.txt$/, /^ref refs\/baton\//, /^file folder$/],
  });
  expect(changed.map(({ what }) => what)).toEqual(['ORIG_HEAD', 'ref refs/heads/main']);
});

test('a target checked out in a linked worktree is fast-forwarded there', async () => {
  const here = await scene(files);
  const linked = join(here.folder, 'linked');
  await sh(here.user, 'worktree', 'add', '--quiet', linked, 'work');
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
  expect(await sh(linked, 'status', '--porcelain')).toBe('');
  expect(await sh(linked, 'rev-parse', 'HEAD')).toBe(made.commit);
});

test.each([
  ['an edit', { 'old.txt': 'mine\n' }, []],
  ['a deletion', { 'a.txt': null }, []],
  ['an untracked file in the way', { 'folder/new.txt': 'mine\n' }, ['folder/new.txt']],
  ['an untracked folder in the way', { 'folder/new.txt/mine': 'mine\n' }, ['folder/new.txt']],
])('%s of the user blocks the landing, which is then done when it is gone', async (_, dirt, inTheWay) => {
  const here = await scene(files, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  await write(here.user, dirt);
  const before = await here.repo.snapshot();
  const blocked = { kind: 'blocked', blocked: 'checkout_dirty', path: here.user, files: inTheWay };
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual(blocked);
  expect(diffSnapshots(before, await here.repo.snapshot(), { except: [/^ORIG_HEAD$/] })).toEqual([]);
  await sh(here.user, 'clean', '-fdq');
  await sh(here.user, 'checkout', '--quiet', '--', '.');
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
});

test("an ignored file of the user's that the change would overwrite blocks it", async () => {
  const here = await scene(files, { target: 'main' });
  await write(here.user, { 'ignored/config': 'mine\n' });
  const made = await candidateFor(here, {
    from: here.base,
    files: { '.gitignore': 'nothing\n', 'ignored/config': 'theirs\n' },
    landingId: 'l1',
  });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'blocked',
    files: ['ignored/config'],
  });
  expect(await readFile(join(here.user, 'ignored/config'), 'utf8')).toBe('mine\n');
});

test('a holder that lost its lane never touches the checkout', async () => {
  const here = await scene(files, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  await takeLane({ repo: here.user, target: 'main', epoch: 2, holder: 'worker-2' });
  const before = await here.repo.snapshot();
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual({
    kind: 'lane_lost',
  });
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});

test('a commit that the user made in between is a lost race, also for a checked-out target', async () => {
  const here = await scene(files, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const own = await commit(here.user, { 'mine.txt': 'mine\n' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual({
    kind: 'lost_race',
  });
  expect(await sh(here.user, 'rev-parse', 'main', here.lane.ref)).toBe(`${own}\n${here.lane.value}`);
});

test('a user who went back before the base is a lost race, not a landing of both', async () => {
  const here = await scene(files, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  await sh(here.user, 'reset', '--quiet', '--hard', 'HEAD^');
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual({
    kind: 'lost_race',
  });
});

test('a branch that the user switches to in the middle of a landing is not moved in place of the target', async () => {
  const here = await scene(files, { target: 'main' });
  const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const { user: repo, clone, target, stateDir, lane } = here;
  const move = { repo, clone, target, stateDir, lane, from: here.base, to, landingId: 'l1' };
  const switching: typeof git = async (args, options) => {
    if (args.includes('update-ref')) await sh(repo, 'switch', '--quiet', '--create', 'mine');
    return git(args, options);
  };
  expect(await moveTarget({ ...move, git: switching })).toEqual({ kind: 'lost_race' });
  expect(await sh(repo, 'rev-parse', 'mine', 'main', lane.ref)).toBe(
    `${here.base}\n${here.base}\n${lane.value}`,
  );
  expect(await moveTarget({ ...move, git })).toMatchObject({ kind: 'moved' });
  expect(await sh(repo, 'rev-parse', 'mine', 'main')).toBe(`${here.base}\n${to}`);
});

test("settings of the user's branch do not change how it moves", async () => {
  const here = await scene(files, { target: 'main' });
  await here.repo.git('config', 'branch.main.mergeOptions', '--squash --no-ff');
  await here.repo.git('config', 'merge.ff', 'false');
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
  expect(await sh(here.user, 'rev-parse', 'main')).toBe(made.commit);
});

test('a dirty checkout of the target is refused at the start, a dirty checkout of another branch is not', async () => {
  const here = await scene(files, { target: 'main' });
  await sh(here.user, 'branch', 'other');
  await write(here.user, { 'a.txt': 'dirty\n' });
  const prepare = (target: string) => prepareTarget({ git, repo: here.user, target, startPoint: here.base });
  await expect(prepare('main')).rejects.toMatchObject({ code: 'REPO_DIRTY' });
  expect(await prepare('other')).toEqual({ head: here.base, created: false });
});

test('a worktree whose folder is gone does not count as a checkout', async () => {
  const here = await scene(files);
  const linked = join(here.folder, 'linked');
  await sh(here.user, 'worktree', 'add', '--quiet', linked, 'work');
  await write(here.folder, { linked: null });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
});

test('a checkout is found by its HEAD, in linked worktrees and through symbolic branches too', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const common = join(here.user, '.git');
  const locks = async (target: string) =>
    (await landingLockFiles({ git, repo: here.user, target, laneRef: here.lane.ref })).map((file) =>
      relative(common, file),
    );
  const refs = [`refs/heads/work.lock`, `${here.lane.ref}.lock`];
  expect(await locks('work')).toEqual(refs);
  const linked = join(here.folder, 'linked');
  await sh(here.user, 'worktree', 'add', '--quiet', linked, 'work');
  expect(await locks('work')).toEqual([
    ...refs,
    ...['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => `worktrees/linked/${name}`),
  ]);
  await sh(linked, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/work');
  await sh(linked, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
  expect(await locks('work')).toHaveLength(5);
  await sh(linked, 'checkout', '--quiet', '--detach');
  expect(await locks('work')).toEqual(refs);
});
