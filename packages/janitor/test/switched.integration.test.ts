import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { behindText, moveTarget, type MoveOutcome } from '../src/index.ts';
import { candidateFor, scene, type Scene } from './helpers/landing.ts';
import { sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'old.txt': 'old\n' };
const change = { 'a.txt': 'b\n', 'old.txt': null, 'folder/new.txt': 'new\n' };

/** A landing in which somebody switches to the target right before its ref moves; `edit` runs after the switch. */
async function switchedDuring(here: Scene, edit: () => Promise<void>): Promise<MoveOutcome> {
  const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
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

test('a worktree that is switched to the target while its ref moves is brought forward', async () => {
  const here = await scene(files);
  const moved = await switchedDuring(here, () => write(here.user, { 'mine.txt': 'untracked\n' }));
  expect(moved).not.toHaveProperty('behind');
  expect(await sh(here.user, 'branch', '--show-current')).toBe('work');
  expect(await sh(here.user, 'status', '--porcelain')).toBe('?? mine.txt');
  expect(await sh(here.user, 'rev-parse', 'HEAD^')).toBe(here.base);
});

test('a worktree with edits that is switched to the target while its ref moves is left and named, with a way out', async () => {
  const here = await scene(files);
  const edited = join(here.user, 'a.txt');
  const moved = await switchedDuring(here, () => write(here.user, { 'a.txt': 'an edit\n' }));
  expect(moved).toMatchObject({ kind: 'moved', behind: [here.user] });
  const { what, fix } = behindText('work', { worktree: here.user, from: here.base });
  expect(what).toContain(here.user);
  const [leave = '', back = ''] = [...fix.matchAll(/`git -C \S+ ([^`]+)`/g)].map(([, text = '']) => text);
  await sh(here.user, ...leave.split(' '));
  expect(await readFile(edited, 'utf8')).toBe('an edit\n');
  await sh(here.user, 'stash', '--quiet');
  await sh(here.user, ...back.split(' '));
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
});

test('an ignored file in the way of what landed is kept when a worktree is switched to the target while it moves', async () => {
  const here = await scene(files);
  const moved = await switchedDuring(here, () =>
    write(here.user, { '.git/info/exclude': 'folder/\n', 'folder/new.txt': 'own\n' }),
  );
  expect(moved).toMatchObject({ behind: [here.user] });
  expect(await readFile(join(here.user, 'folder/new.txt'), 'utf8')).toBe('own\n');
});
