import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { behindText, moveTarget, settleIntent, type MoveOutcome } from '../src/index.ts';
import { candidateFor, scene, type Scene } from './helpers/landing.ts';
import { sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'old.txt': 'old\n' };
const change = { 'a.txt': 'b\n', 'old.txt': null, 'folder/new.txt': 'new\n' };

/** A landing in which somebody switches to the target right before its ref moves; `edit` runs after the switch. */
async function switchedDuring(
  here: Scene,
  { edit, to }: { edit: () => Promise<void>; to: string },
): Promise<MoveOutcome> {
  const { user: repo, clone, target, stateDir, lane } = here;
  const switching: typeof git = async (args, options) => {
    if (args.includes('update-ref') && (await sh(repo, 'branch', '--show-current')) !== target) {
      await sh(repo, 'switch', '--quiet', target);
      await edit();
    }
    return git(args, options);
  };
  const move = { repo, clone, target, stateDir, lane, from: here.base, to, landingId: 'l1' };
  return moveTarget({ ...move, git: switching });
}

const switched = async (here: Scene, edit: () => Promise<void>): Promise<MoveOutcome> => {
  const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  return switchedDuring(here, { edit, to });
};

/** The arguments of the git commands that the hint names. */
const hintsOf = (worktree: string, from: string): string[][] =>
  [...behindText('work', { worktree, from }).fix.matchAll(/`git -C \S+ ([^`]+)`/g)].map(([, text = '']) =>
    text.split(' '),
  );

test('a worktree that is switched to the target while its ref moves is brought forward', async () => {
  const here = await scene(files);
  const moved = await switched(here, () => write(here.user, { 'mine.txt': 'untracked\n' }));
  expect(moved).not.toHaveProperty('behind');
  expect(await sh(here.user, 'branch', '--show-current')).toBe('work');
  expect(await sh(here.user, 'status', '--porcelain')).toBe('?? mine.txt');
  expect(await sh(here.user, 'rev-parse', 'HEAD^')).toBe(here.base);
});

test('a worktree with edits that is switched to the target while its ref moves is left and named, with a way out', async () => {
  const here = await scene(files);
  const edited = join(here.user, 'a.txt');
  const moved = await switched(here, () => write(here.user, { 'a.txt': 'an edit\n' }));
  expect(moved).toMatchObject({ kind: 'moved', behind: [here.user] });
  expect(behindText('work', { worktree: here.user, from: here.base }).what).toContain(here.user);
  const [leave = [], back = []] = hintsOf(here.user, here.base);
  await sh(here.user, ...leave);
  expect(await readFile(edited, 'utf8')).toBe('an edit\n');
  await sh(here.user, 'stash', '--quiet');
  await sh(here.user, ...back);
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
});

test('an ignored file in the way of what landed is kept when a worktree is switched to the target while it moves', async () => {
  const here = await scene(files);
  const moved = await switched(here, () =>
    write(here.user, { '.git/info/exclude': 'folder/\n', 'folder/new.txt': 'own\n' }),
  );
  expect(moved).toMatchObject({ behind: [here.user] });
  expect(await readFile(join(here.user, 'folder/new.txt'), 'utf8')).toBe('own\n');
});

test('a worktree that git cannot bring forward to its end gets back the files of the former head, and catches up by the hint', async () => {
  const here = await scene({ ...files, '.gitattributes': '*.slow filter=bad\n' });
  const { user } = here;
  for (const setting of ['required=true', 'smudge=false', 'clean=cat'])
    await sh(user, 'config', ...`filter.bad.${setting}`.split('='));
  const { commit: to } = await candidateFor(here, {
    from: here.base,
    files: { ...change, 'z.slow': 'z\n' },
    landingId: 'l1',
  });
  const moved = await switchedDuring(here, { edit: () => Promise.resolve(), to });
  expect(moved).toMatchObject({ kind: 'moved', behind: [user] });
  expect(await readFile(join(user, 'a.txt'), 'utf8')).toBe('a\n');
  expect(await sh(user, 'diff', '--stat', here.base)).toBe('');
  expect(await sh(user, 'status', '--porcelain', '--untracked-files=all')).not.toContain('?? ');
  await sh(user, 'config', 'filter.bad.smudge', 'cat');
  for (const args of hintsOf(user, here.base)) await sh(user, ...args);
  expect(await sh(user, 'status', '--porcelain')).toBe('');
  expect(await sh(user, 'rev-parse', 'HEAD')).toBe(to);
});

test.each(['before', 'amid'] as const)(
  'a worktree whose holder died %s bringing it forward is brought forward by the next holder',
  async (moment) => {
    const here = await scene(files);
    const { user, base } = here;
    const { commit: to } = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
    await sh(user, 'switch', '--quiet', here.target);
    await sh(user, 'update-ref', `refs/heads/${here.target}`, to);
    if (moment === 'amid') await write(user, { 'a.txt': 'b\n', 'folder/new.txt': 'ne' });
    const intent = { fromCommit: base, candidateCommit: to, holder: { lockFiles: [] } };
    const settle = () =>
      settleIntent({ git, repo: user, clone: here.clone, target: here.target, intent, holderDead: true });
    expect(await settle()).toBe(true);
    expect(await sh(user, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(user, 'folder/new.txt'), 'utf8')).toBe('new\n');
  },
);

test('a worktree that was switched while its holder died and holds an edit stays as it is', async () => {
  const here = await scene(files);
  const { user, base } = here;
  const { commit: to } = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
  await sh(user, 'switch', '--quiet', here.target);
  await sh(user, 'update-ref', `refs/heads/${here.target}`, to);
  await write(user, { 'a.txt': 'an edit\n', 'folder/new.txt': 'ne' });
  const before = await here.repo.snapshot();
  const intent = { fromCommit: base, candidateCommit: to, holder: { lockFiles: [] } };
  const behind: string[] = [];
  const onBehind = (worktrees: readonly string[]) => Promise.resolve(void behind.push(...worktrees));
  const place = { git, repo: user, clone: here.clone, target: here.target };
  expect(await settleIntent({ ...place, intent, holderDead: true, onBehind })).toBe(true);
  expect(behind).toEqual([user]);
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});

test('what a person staged on the new head after the holder died is no former head', async () => {
  const here = await scene(files);
  const { user, base } = here;
  const { commit: to } = await candidateFor(here, { from: base, files: change, landingId: 'l1' });
  await sh(user, 'update-ref', `refs/heads/${here.target}`, to);
  await sh(user, 'switch', '--quiet', here.target);
  await write(user, { 'a.txt': 'staged\n' });
  await sh(user, 'add', 'a.txt');
  const before = await here.repo.snapshot();
  const intent = { fromCommit: base, candidateCommit: to, holder: { lockFiles: [] } };
  const onBehind = () => Promise.reject(new Error('nothing is behind'));
  const place = { git, repo: user, clone: here.clone, target: here.target };
  expect(await settleIntent({ ...place, intent, holderDead: true, onBehind })).toBe(true);
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});
