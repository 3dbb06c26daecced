import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { restoreTarget, targetLoss } from '../src/index.ts';
import { candidateFor, land, scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n' };

/** A target with one landed commit, in a repository whose owner then does something to it. */
async function landed(owner: (repo: string, base: string) => Promise<unknown>) {
  const here = await scene(files);
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  expect((await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).kind).toBe('moved');
  await owner(here.user, here.base);
  const place = { git, repo: here.user, clone: here.clone, target: 'work' };
  const look = () => targetLoss({ ...place, commits: [here.base, made.commit] });
  return { here, made, place, look };
}

const asPerson = {
  ...process.env,
  GIT_AUTHOR_NAME: 'p',
  GIT_AUTHOR_EMAIL: 'p@example.org',
  GIT_COMMITTER_NAME: 'p',
  GIT_COMMITTER_EMAIL: 'p@example.org',
};
const shell = (cwd: string, line: string) =>
  execFileSync('bash', ['-c', line], { cwd, stdio: 'pipe', env: asPerson });

test('a target that holds all is no loss, whatever came on top of it', async () => {
  const { look } = await landed(async (repo) => {
    await sh(repo, 'checkout', '--quiet', 'work');
    await commit(repo, { 'own.txt': 'own\n' });
  });
  expect(await look()).toBeNull();
});

test.each([
  ['deleted', 'deleted', (repo: string) => sh(repo, 'branch', '-D', 'work')],
  ['moved back', 'behind', (repo: string, base: string) => sh(repo, 'branch', '-f', 'work', base)],
])(
  'a target that was %s is reported with a command that works, and can be restored',
  async (_, kind, owner) => {
    for (const restore of ['by hand', 'by Baton'] as const) {
      const { here, made, place, look } = await landed(owner);
      const loss = await look();
      expect(loss).toMatchObject({ kind, last: made.commit });
      expect(loss?.missing.at(-1)).toBe(made.commit);
      if (loss === null) return;
      if (restore === 'by hand') shell(here.user, loss.restore);
      else await restoreTarget({ ...place, loss });
      expect(await look()).toBeNull();
      expect(await sh(here.user, 'rev-parse', 'work')).toBe(made.commit);
    }
  },
);

test('a deleted target whose commits were collected comes back from the clone', async () => {
  const { here, made, place, look } = await landed((repo) => sh(repo, 'branch', '-D', 'work'));
  await sh(here.user, 'update-ref', '-d', 'refs/baton/landing/l1');
  await sh(here.user, 'reflog', 'expire', '--expire=now', '--all');
  await sh(here.user, 'gc', '--quiet', '--prune=now');
  const loss = await look();
  expect(loss?.restore).toMatch(/^git fetch --no-tags .* && git branch work /);
  if (loss === null) return;
  await restoreTarget({ ...place, loss });
  expect(await sh(here.user, 'rev-parse', 'work')).toBe(made.commit);
});

test('a target with commits of its own is never moved by Baton: the offered merge brings what landed', async () => {
  const { here, place, look } = await landed(async (repo, base) => {
    await sh(repo, 'branch', '-f', 'work', base);
    await sh(repo, 'checkout', '--quiet', 'work');
    await commit(repo, { 'own.txt': 'own\n' });
  });
  const head = await sh(here.user, 'rev-parse', 'work');
  const loss = await look();
  expect(loss?.kind).toBe('elsewhere');
  if (loss === null) return;
  await expect(restoreTarget({ ...place, loss })).rejects.toMatchObject({ code: 'TARGET_MOVED' });
  expect(await sh(here.user, 'rev-parse', 'work')).toBe(head);
  shell(here.user, loss.restore);
  expect(await look()).toBeNull();
});

test('a checked-out target that was reset is fast-forwarded in its checkout', async () => {
  const { here, made, place, look } = await landed(async (repo, base) => {
    await sh(repo, 'checkout', '--quiet', 'work');
    await sh(repo, 'reset', '--quiet', '--hard', base);
  });
  const loss = await look();
  if (loss === null) throw new Error('nothing was lost');
  await restoreTarget({ ...place, loss });
  expect(await sh(here.user, 'rev-parse', 'HEAD')).toBe(made.commit);
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
});

test('another repository in its place is not called a target that was moved, and what landed is had beside it', async () => {
  const { here, made, place, look } = await landed(async (repo) => {
    shell(
      repo,
      'rm -rf .git && git init --quiet && git commit --quiet --allow-empty -m new && git branch work',
    );
  });
  const loss = await look();
  expect(loss).toMatchObject({ kind: 'replaced', last: made.commit });
  if (loss === null) return;
  await expect(restoreTarget({ ...place, loss })).rejects.toMatchObject({ code: 'REPO_CHANGED' });
  shell(here.user, loss.restore);
  expect(await sh(`${here.user}-before`, 'rev-parse', 'HEAD')).toBe(made.commit);
  rmSync(`${here.user}-before`, { recursive: true });
});

test('a copy of the repository that was cut off from what landed is not called another one', async () => {
  const { look } = await landed(async (repo) => {
    const root = 'git rev-list --max-parents=0 HEAD';
    shell(
      repo,
      `git branch -D work && git switch --quiet --orphan new && git commit --quiet --allow-empty -m new && git branch keep $(${root.replace('HEAD', '--all')} | tail -1)`,
    );
  });
  expect((await look())?.kind).toBe('deleted');
});

test.each([
  ['a file', { 'own/x.txt': 'mine\n' }, 'own/x.txt'],
  ['a file in place of its folder', { own: 'mine\n' }, 'own'],
  ['a folder in its place', { 'own/x.txt/mine': 'mine\n' }, 'own/x.txt'],
  ['a repository', { 'own/.git/HEAD': 'mine\n' }, 'own'],
])(
  '%s of the user that git ignores, where the restored target has another, is named and stays',
  async (what, mine, named) => {
    const here = await scene({ '.gitignore': 'own\n' });
    await sh(here.user, 'checkout', '--quiet', 'work');
    const { commit: to } = await candidateFor(here, {
      ...{ from: here.base, landingId: 'l1' },
      files: { '.gitignore': null, 'own/x.txt': 'theirs\n' },
    });
    await land(here, { from: here.base, to, landingId: 'l1' });
    await sh(here.user, 'reset', '--quiet', '--hard', here.base);
    await write(here.user, { own: null, ...mine });
    const place = { git, repo: here.user, clone: here.clone, target: 'work' };
    const loss = await targetLoss({ ...place, commits: [to] });
    if (loss?.kind !== 'behind') throw new Error(`${loss?.kind}`);
    const before = await here.repo.snapshot();
    if (what !== 'a repository') expect(() => shell(here.user, loss.restore)).toThrow(/untracked/);
    await expect(restoreTarget({ ...place, loss })).rejects.toMatchObject({
      ...{ code: 'REPO_DIRTY', at: named },
      fix: expect.stringMatching(/out of the way, then restore again/),
    });
    expect(diffSnapshots(before, await here.repo.snapshot(), { except: [/^ORIG_HEAD$/] })).toEqual([]);
    await write(here.user, { own: null });
    await restoreTarget({ ...place, loss });
    expect(await sh(here.user, 'rev-parse', 'HEAD')).toBe(to);
    expect(await sh(here.user, 'for-each-ref', 'refs/baton/landing')).not.toContain('restore-');
  },
);
