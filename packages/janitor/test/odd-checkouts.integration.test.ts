import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import { mergeRun, moveTarget, prepareTarget } from '../src/index.ts';
import { candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'old.txt': 'old\n' };
const change = { 'a.txt': 'b\n', 'folder/new.txt': 'new\n' };

async function moveGitFolder({ user, folder }: Scene): Promise<string> {
  const elsewhere = join(folder, 'elsewhere');
  await sh(user, 'init', '--quiet', `--separate-git-dir=${elsewhere}`);
  return elsewhere;
}

/** As git keeps a submodule: the git folder lies in that of the repository above, and names its working tree. */
async function keptAsSubmodule(here: Scene): Promise<void> {
  await sh(await moveGitFolder(here), 'config', 'core.worktree', here.user);
}

test.each([
  ['with a git folder elsewhere', moveGitFolder],
  ['that is a submodule', keptAsSubmodule],
])('a target checked out in a repository %s is fast-forwarded there', async (_, rearrange) => {
  const here = await scene(files, { target: 'main' });
  await rearrange(here);
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const ready = { git, repo: here.user, clone: here.clone, target: 'main', startPoint: here.base };
  expect(await prepareTarget(ready)).toEqual({ head: here.base, created: false });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
  expect(await sh(here.user, 'rev-parse', 'HEAD')).toBe(made.commit);
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
  expect(await readFile(join(here.user, 'folder/new.txt'), 'utf8')).toBe('new\n');
});

test('changes inside a submodule hold up neither the start, nor a landing, nor a merge, and stay', async () => {
  const lib = await scene({ 'lib.txt': 'lib\n' });
  const here = await scene(files, { target: 'main' });
  await sh(here.user, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.user, 'lib');
  const base = await commit(here.user, {}, 'submodule');
  await sh(here.clone, 'fetch', '--quiet', here.user, 'main');
  await write(here.user, { 'lib/lib.txt': 'edited\n', 'lib/untracked.txt': 'mine\n' });
  const ready = { git, repo: here.user, clone: here.clone, target: 'main', startPoint: base };
  expect(await prepareTarget(ready)).toEqual({ head: base, created: false });
  const landed = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
  expect(await land(here, { from: base, to: landed.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
  const more = await candidateFor(here, {
    from: landed.commit,
    files: { 'old.txt': 'new\n' },
    landingId: 'l2',
  });
  await sh(here.user, 'branch', 'baton/run', more.commit);
  expect(await mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' })).toEqual({
    kind: 'fast_forward',
    commit: more.commit,
  });
  expect(await readFile(join(here.user, 'lib/lib.txt'), 'utf8')).toBe('edited\n');
});

test('a repository whose settings allow no transport takes a landing all the same', async () => {
  const here = await scene(files);
  await sh(here.user, 'config', 'protocol.allow', 'never');
  await sh(here.user, 'config', 'protocol.file.allow', 'never');
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toMatchObject({
    kind: 'moved',
  });
});

/** A git that knows its user's settings where files of their checkout are concerned, and a checkout that was converted by them. */
async function converted(here: Scene, settings: string): Promise<Git> {
  await write(here.folder, { settings });
  const own: Git = (args, options) =>
    git(args, {
      ...options,
      env: {
        ...(options.userFiles === true ? { GIT_CONFIG_GLOBAL: join(here.folder, 'settings') } : {}),
        ...options.env,
      },
    });
  const again = { cwd: here.user, userFiles: true };
  await write(here.user, { 'a.txt': null, 'old.txt': null });
  await own(['checkout', '--quiet', '--', '.'], again);
  const later = new Date(Date.now() + 10_000);
  await utimes(join(here.user, 'old.txt'), later, later);
  return own;
}

test('a checkout whose user converts its files is no changed one, and what lands or is merged there is converted', async () => {
  const here = await scene(files, { target: 'main' });
  const own = await converted(here, '[core]\n\tautocrlf = true\n');
  const { user: repo, clone, lane, base, stateDir } = here;
  const ready = { git: own, repo, clone, target: 'main', startPoint: base };
  expect(await prepareTarget(ready)).toEqual({ head: base, created: false });
  const made = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
  const move = { git: own, repo, clone, target: 'main', stateDir, lane, landingId: 'l1' };
  expect(await moveTarget({ ...move, from: base, to: made.commit })).toMatchObject({ kind: 'moved' });
  expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('b\r\n');
  const more = await candidateFor(here, {
    from: made.commit,
    files: { 'old.txt': 'new\n' },
    landingId: 'l2',
  });
  await sh(repo, 'branch', 'baton/run', more.commit);
  await utimes(join(repo, 'a.txt'), new Date(0), new Date(0));
  expect(await mergeRun({ git: own, repo, target: 'baton/run', into: 'main' })).toMatchObject({
    kind: 'fast_forward',
  });
  expect(await readFile(join(repo, 'old.txt'), 'utf8')).toBe('new\r\n');
});

test('settings for merges neither squash what is taken nor ask for signatures', async () => {
  const here = await scene(files);
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  await sh(here.user, 'branch', 'baton/run', made.commit);
  await sh(here.user, 'config', 'merge.verifySignatures', 'true');
  await sh(here.user, 'config', 'branch.main.mergeOptions', '--squash');
  await commit(here.user, { 'own.txt': 'own\n' });
  const merged = await mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' });
  expect(merged).toMatchObject({ kind: 'merged' });
  expect(await sh(here.user, 'rev-parse', 'HEAD^2')).toBe(made.commit);
  await sh(here.user, 'reset', '--quiet', '--hard', here.base);
  expect(await mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' })).toEqual({
    kind: 'fast_forward',
    commit: made.commit,
  });
});
