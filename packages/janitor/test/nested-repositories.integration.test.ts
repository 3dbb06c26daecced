import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { mergeRun } from '../src/index.ts';
import { candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { commit, sh, write, type Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', '.gitignore': 'own/\nlinked\n' };

/** A repository of the user's own below an ignored path, with a commit that is nowhere else and an edit. */
async function ignoredRepository({ user }: Scene, path = 'own'): Promise<void> {
  const nested = join(user, path);
  await write(nested, { 'kept.txt': 'kept\n' });
  await sh(nested, 'init', '--quiet');
  await commit(nested, {}, 'nowhere else');
  await write(nested, { 'kept.txt': 'edited\n', 'more/notes.txt': 'mine\n' });
}

async function repositoryInFolder(here: Scene): Promise<void> {
  await ignoredRepository(here, 'own/deep/repository');
}

/** One whose folder holds nothing but its git folder. */
async function emptyRepository({ user }: Scene): Promise<void> {
  await sh(user, 'init', '--quiet', join(user, 'own'));
}

/** A git folder that is no longer whole: git takes the folder around it for an ordinary one. */
async function brokenRepository(here: Scene): Promise<void> {
  await ignoredRepository(here);
  await write(here.user, { 'own/.git/HEAD': null });
}

async function submodule(here: Scene): Promise<void> {
  const lib = await scene({ 'kept.txt': 'lib\n' });
  await sh(
    here.user,
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    '--force',
    lib.user,
    'own',
  );
  await commit(here.user, {}, 'submodule');
  await write(here.user, { 'own/kept.txt': 'edited\n', 'own/more/notes.txt': 'mine\n' });
}

const places: [string, (here: Scene) => Promise<void>, Files, string][] = [
  ['an ignored repository, by a file', ignoredRepository, { own: 'theirs\n' }, 'own'],
  ['an ignored repository, by a file in it', ignoredRepository, { 'own/kept.txt': 'theirs\n' }, 'own'],
  ['an ignored repository, by a folder in it', ignoredRepository, { 'own/kept.txt/x': 'theirs\n' }, 'own'],
  [
    'an ignored repository, by a file in place of its folder',
    ignoredRepository,
    { 'own/more': 'x\n' },
    'own',
  ],
  ['a repository in an ignored folder, by a file', repositoryInFolder, { own: 'theirs\n' }, 'own'],
  ['a repository without a commit, by a file', emptyRepository, { own: 'theirs\n' }, 'own'],
  ['a repository without its HEAD, by a file', brokenRepository, { own: 'theirs\n' }, 'own'],
  ['a submodule, by a file', submodule, { own: 'theirs\n' }, 'own'],
  ['a submodule, by a folder', submodule, { 'own/kept.txt': 'theirs\n' }, 'own'],
];
const ways = ['landing', 'fast-forward', 'merge commit'] as const;

test.each(places)(
  'no landing, fast-forward or merge replaces %s: it is refused, named, and nothing changes',
  async (_, lay, change, named) => {
    const here = await scene(files, { target: 'main' });
    await lay(here);
    const from = await sh(here.user, 'rev-parse', 'HEAD');
    await sh(here.clone, 'fetch', '--quiet', here.user, 'main');
    // Git takes a folder for the submodule while the index has that.
    const cleared = await candidateFor(here, {
      ...{ from, landingId: 'l1' },
      files: { '.gitignore': null, '.gitmodules': null, own: null },
    });
    const { commit: to } = await candidateFor(here, {
      ...{ from: cleared.commit, landingId: 'l1' },
      files: change,
    });
    for (const way of ways) {
      if (way === 'fast-forward') {
        await sh(here.user, 'fetch', '--quiet', here.clone, to);
        await sh(here.user, 'branch', 'baton/run', to);
      }
      if (way === 'merge commit') {
        await write(here.user, { 'mine.txt': 'mine\n' });
        await sh(here.user, 'add', 'mine.txt');
        await sh(here.user, 'commit', '--quiet', '-m', 'mine');
      }
      const before = await here.repo.snapshot();
      if (way === 'landing')
        expect(await land(here, { from, to, landingId: 'l1' }), way).toEqual({
          ...{ kind: 'blocked', blocked: 'checkout_dirty', path: here.user },
          files: [named],
        });
      else
        await expect(
          mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' }),
          way,
        ).rejects.toMatchObject({ code: 'REPO_DIRTY', at: named });
      expect(diffSnapshots(before, await here.repo.snapshot(), { except: [/^ORIG_HEAD$/] }), way).toEqual([]);
    }
  },
);

test('a submodule that is taken out keeps its folder, and one that is not set up makes place', async () => {
  const here = await scene(files, { target: 'main' });
  await submodule(here);
  const from = await sh(here.user, 'rev-parse', 'HEAD');
  await sh(here.clone, 'fetch', '--quiet', here.user, 'main');
  const without = { own: null, '.gitmodules': null };
  const { commit: to } = await candidateFor(here, { from, files: without, landingId: 'l1' });
  const moved = await land(here, { from, to, landingId: 'l1' });
  if (moved.kind !== 'moved') throw new Error(moved.kind);
  expect(await readFile(join(here.user, 'own/kept.txt'), 'utf8')).toBe('edited\n');
  await sh(here.user, 'reset', '--quiet', '--hard', from);
  await write(here.user, { own: null, 'own/folder': null });
  const next = await candidateFor(here, { from, files: { ...without, own: 'theirs\n' }, landingId: 'l2' });
  expect(await land(here, { from, to: next.commit, landingId: 'l2', lane: moved.lane })).toMatchObject({
    kind: 'moved',
  });
  expect(await readFile(join(here.user, 'own'), 'utf8')).toBe('theirs\n');
});

test('a folder with tracked files takes a landing also where the user has made it a repository as well', async () => {
  const here = await scene({ 'lib/a.txt': 'a\n' }, { target: 'main' });
  await sh(here.user, 'init', '--quiet', 'lib');
  const { commit: to } = await candidateFor(here, {
    ...{ from: here.base, landingId: 'l1' },
    files: { 'lib/a.txt': 'b\n', 'lib/c.txt': 'c\n' },
  });
  expect(await land(here, { from: here.base, to, landingId: 'l1' })).toMatchObject({ kind: 'moved' });
  expect(await readFile(join(here.user, 'lib/c.txt'), 'utf8')).toBe('c\n');
});

test('the files of a checkout are looked for where `core.worktree` says that they lie', async () => {
  const here = await scene(files, { target: 'main' });
  const elsewhere = join(here.folder, 'elsewhere');
  await cp(here.user, elsewhere, { recursive: true, filter: (path) => !path.endsWith('/.git') });
  await sh(here.user, 'config', 'core.worktree', elsewhere);
  await write(here.user, { 'new.txt': 'of no checkout\n' });
  const { commit: to } = await candidateFor(here, {
    ...{ from: here.base, landingId: 'l1' },
    files: { '.gitignore': null, 'own/kept.txt': 'theirs\n', 'new.txt': 'new\n' },
  });
  await ignoredRepository({ ...here, user: elsewhere });
  const landing = () => land(here, { from: here.base, to, landingId: 'l1' });
  expect(await landing()).toMatchObject({ kind: 'blocked', files: ['own'] });
  await write(elsewhere, { own: null });
  expect(await landing()).toMatchObject({ kind: 'moved' });
  expect(await readFile(join(elsewhere, 'new.txt'), 'utf8')).toBe('new\n');
});
