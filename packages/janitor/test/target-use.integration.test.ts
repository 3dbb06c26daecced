import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { mergeRun, moveTarget, prepareTarget, restoreTarget, sweepRefs, useText } from '../src/index.ts';
import { candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const change = { 'landed.txt': 'landed\n' };

/** A target `main` that has one commit of a person's over the base, and a branch `theirs` that conflicts with it. */
async function conflicting(): Promise<{ here: Scene; head: string; to: string }> {
  const here = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { target: 'main' });
  await sh(here.user, 'switch', '--quiet', '--create', 'theirs');
  await commit(here.user, { 'a.txt': 'theirs\n' });
  await commit(here.user, { 'b.txt': 'theirs\n' });
  await sh(here.user, 'switch', '--quiet', 'main');
  const head = await commit(here.user, { 'a.txt': 'mine\n' }, 'mine');
  await sh(here.clone, 'fetch', '--quiet', here.user, 'main');
  const { commit: to } = await candidateFor(here, { from: head, files: change, landingId: 'l1' });
  return { here, head, to };
}

/** Runs git as a person; it may stop at a conflict. */
const person = (cwd: string, args: readonly string[]) => git(args, { cwd, env: { GIT_EDITOR: 'true' } });

const rebase = ['rebase', '--quiet', 'theirs'];

test.each([
  ['a rebase', 'rebase', [rebase], ['rebase', '--abort']],
  ['a rebase by patches', 'rebase', [['rebase', '--apply', 'theirs']], ['rebase', '--abort']],
  ['a bisect that has not begun to look', 'bisect', [['bisect', 'start']], ['bisect', 'reset']],
  ['a bisect', 'bisect', [['bisect', 'start', 'HEAD', 'HEAD~2']], ['bisect', 'reset']],
  ['a merge', 'merge', [['merge', 'theirs']], ['merge', '--abort']],
  [
    'a merge that changes nothing',
    'merge',
    [['merge', '--no-commit', '-s', 'ours', 'theirs']],
    ['merge', '--abort'],
  ],
  ['a cherry-pick', 'cherry-pick', [['cherry-pick', 'theirs~1']], ['cherry-pick', '--abort']],
  [
    'a cherry-pick of two commits that was reset',
    'cherry-pick',
    [
      ['cherry-pick', 'theirs~2..theirs'],
      ['reset', '--quiet', '--hard'],
    ],
    ['cherry-pick', '--quit'],
  ],
  ['a revert', 'revert', [['revert', '--no-commit', 'HEAD']], ['revert', '--abort']],
] as const)(
  '%s of a person on the target holds the landing up until it is over',
  async (_, operation, begin, end) => {
    const { here, head, to } = await conflicting();
    for (const args of begin) await person(here.user, args);
    const before = await here.repo.snapshot();
    const use = { operation, worktree: here.user };
    expect(await land(here, { from: head, to, landingId: 'l1' })).toEqual({
      ...{ kind: 'blocked', blocked: 'target_in_use', use },
    });
    expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
    const { what, fix } = useText('main', use);
    expect(what).toContain(`${operation} in ${here.user}`);
    expect(fix).toContain(
      `git -C ${here.user} ${operation} ${operation === 'bisect' ? 'reset' : '--continue'}`,
    );
    await expect(
      prepareTarget({ git, repo: here.user, target: 'main', startPoint: head }),
    ).rejects.toMatchObject({ code: 'TARGET_IN_USE', at: here.user, fix });

    expect((await person(here.user, end)).exitCode).toBe(0);
    expect(await land(here, { from: head, to, landingId: 'l1' })).toMatchObject({ kind: 'moved' });
  },
);

test('a stopped `git am` in a linked worktree, and a rebase that would move the target along, hold the landing up', async () => {
  const { here, head, to } = await conflicting();
  const patch = join(here.folder, 'theirs.patch');
  await writeFile(
    patch,
    (await git(['format-patch', '--stdout', '-1', 'theirs~1'], { cwd: here.user })).stdout,
  );
  await sh(here.user, 'switch', '--quiet', 'theirs');
  const linked = join(here.folder, 'linked');
  await sh(here.user, 'worktree', 'add', '--quiet', linked, 'main');
  await person(linked, ['am', '--quiet', patch]);
  const landing = () => land(here, { from: head, to, landingId: 'l1' });
  expect(await landing()).toMatchObject({ use: { operation: 'am', worktree: linked } });
  await sh(linked, 'am', '--abort');

  await sh(linked, 'switch', '--quiet', '--create', 'above');
  await commit(linked, { 'c.txt': 'c\n' });
  await person(linked, ['rebase', '--quiet', '--update-refs', 'theirs']);
  expect(await landing()).toMatchObject({ use: { operation: 'rebase', worktree: linked } });
  await write(here.folder, { linked: null });
  expect(await landing(), 'a worktree whose folder is gone').toMatchObject({ kind: 'moved' });
});

test('operations on another branch, in the same worktree too, hold nothing up', async () => {
  const { here, head, to } = await conflicting();
  await sh(here.user, 'switch', '--quiet', 'theirs');
  await person(here.user, ['rebase', '--quiet', 'main']);
  expect(await sh(here.user, 'status')).toContain('rebase in progress');
  expect(await land(here, { from: head, to, landingId: 'l1' })).toMatchObject({ kind: 'moved' });
});

test('an operation that a person begins in the middle of a landing is not disturbed', async () => {
  const { here, head, to } = await conflicting();
  const { user: repo, clone, target, stateDir, lane } = here;
  const beginning: typeof git = async (args, options) => {
    if (args.includes('update-ref')) await person(repo, ['bisect', 'start']);
    return git(args, options);
  };
  const move = { repo, clone, target, stateDir, lane, from: head, to, landingId: 'l1' };
  expect(await moveTarget({ ...move, git: beginning })).toMatchObject({ use: { operation: 'bisect' } });
  expect(await sh(repo, 'rev-parse', 'main', lane.ref)).toBe(`${head}\n${lane.value}`);
});

test('a branch in the middle of a rebase is neither merged into, put back nor swept away', async () => {
  const { here, head, to } = await conflicting();
  await sh(here.user, 'fetch', '--quiet', here.clone, to);
  await sh(here.user, 'branch', 'baton/run', to);
  await person(here.user, ['merge', '--no-commit', '-s', 'ours', 'theirs']);
  const merge = mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' });
  await expect(merge).rejects.toMatchObject({ code: 'TARGET_IN_USE' });
  const { user: repo, clone, target } = here;
  const loss = { kind: 'behind', head, missing: [to], last: to, restore: '' } as const;
  await expect(
    restoreTarget({ git, repo, clone, target, loss: { ...loss, missing: [to] } }),
  ).rejects.toMatchObject({
    code: 'TARGET_IN_USE',
  });
  await sh(here.user, 'merge', '--abort');

  await sh(here.user, 'switch', '--quiet', '--create', 'baton/old', head);
  await person(here.user, rebase);
  const sweep = {
    ...{ git, repo, storeId: 'store', liveTargets: ['baton/run'], settledLandings: [] },
    settledTargets: [{ target: 'baton/old', heads: [head] }],
  };
  expect(await sweepRefs(sweep)).toEqual([]);
  await sh(here.user, 'rebase', '--abort');
  await sh(here.user, 'switch', '--quiet', 'main');
  expect(await sweepRefs(sweep)).toMatchObject([{ ref: 'refs/heads/baton/old' }]);
});

test('a target that is checked out in two worktrees holds everything up that would move it, until one of them leaves it', async () => {
  const { here, head, to } = await conflicting();
  const { user: repo, clone, target } = here;
  const second = join(here.folder, 'second tree');
  await sh(repo, 'worktree', 'add', '--quiet', '--force', second, 'main');
  const use = { operation: 'checkout', worktree: second, beside: repo } as const;
  const landing = () => land(here, { from: head, to, landingId: 'l1' });
  expect(await landing()).toEqual({ kind: 'blocked', blocked: 'target_in_use', use });
  expect(await sh(repo, 'rev-parse', 'main')).toBe(head);
  const { what, fix } = useText('main', use);
  expect(what).toBe(`main is checked out in two worktrees, ${repo} and ${second}.`);
  expect(fix).toContain(`git -C '${second}' switch --detach`);
  const refused = { code: 'TARGET_IN_USE', message: what, fix };
  await expect(prepareTarget({ git, repo, target: 'main', startPoint: head })).rejects.toMatchObject(refused);
  await expect(mergeRun({ git, repo, target: 'theirs', into: 'main' })).rejects.toMatchObject(refused);
  const loss = { kind: 'behind', head, missing: [to], last: to, restore: '' } as const;
  await expect(
    restoreTarget({ git, repo, clone, target, loss: { ...loss, missing: [to] } }),
  ).rejects.toMatchObject(refused);

  await sh(second, 'switch', '--quiet', '--detach');
  expect(await landing(), 'one worktree has it, another its commit').toMatchObject({ kind: 'moved' });
  expect(await sh(repo, 'status', '--porcelain')).toBe('');
});

test('a second worktree whose folder is gone holds nothing up', async () => {
  const { here, head, to } = await conflicting();
  await sh(here.user, 'worktree', 'add', '--quiet', '--force', join(here.folder, 'second'), 'main');
  await write(here.folder, { second: null });
  expect(await land(here, { from: head, to, landingId: 'l1' })).toMatchObject({ kind: 'moved' });
});

test('a locked worktree that is not there holds the landing up until it is back or is unlocked', async () => {
  for (const end of ['back', 'unlocked'] as const) {
    const here = await scene({ 'a.txt': 'a\n' });
    const disk = join(here.folder, 'di sk');
    await sh(here.user, 'worktree', 'add', '--quiet', disk, 'work');
    await sh(here.user, 'worktree', 'lock', '--reason', 'a disk', disk);
    await rename(disk, join(here.folder, 'away'));
    const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
    const landing = () => land(here, { from: here.base, to, landingId: 'l1' });
    const use = { operation: 'away', worktree: disk } as const;
    expect(await landing()).toEqual({ kind: 'blocked', blocked: 'target_in_use', use });
    await expect(
      prepareTarget({ git, repo: here.user, target: 'work', startPoint: here.base }),
    ).rejects.toMatchObject({ code: 'TARGET_IN_USE', at: disk });
    if (end === 'back') await rename(join(here.folder, 'away'), disk);
    else {
      const [, line = 'false'] = /`(git worktree unlock .+)`/.exec(useText('work', use).fix) ?? [];
      execFileSync('sh', ['-c', line], { cwd: here.user });
    }
    expect((await landing()).kind).toBe('moved');
    if (end === 'unlocked') continue;
    expect(await sh(disk, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(disk, 'landed.txt'), 'utf8')).toBe('landed\n');
  }
});

test('a checkout whose repository was set to be bare holds the landing up until the setting is undone by the command of its text', async () => {
  for (const scope of ['--local', '--worktree'] as const) {
    const { here, head, to } = await conflicting();
    const { user: repo } = here;
    if (scope === '--worktree') await sh(repo, 'config', 'extensions.worktreeConfig', 'true');
    await sh(repo, 'config', scope, 'core.bare', 'true');
    const file = join(repo, '.git', scope === '--local' ? 'config' : 'config.worktree');
    const use = { operation: 'bare', worktree: repo, file } as const;
    const landing = () => land(here, { from: head, to, landingId: 'l1' });
    expect(await landing()).toEqual({ kind: 'blocked', blocked: 'target_in_use', use });
    expect(await sh(repo, 'rev-parse', 'main')).toBe(head);
    const { fix } = useText('main', use);
    await expect(prepareTarget({ git, repo, target: 'main', startPoint: head })).rejects.toMatchObject({
      code: 'TARGET_IN_USE',
      at: repo,
      fix,
    });
    const [, line = 'false'] = /`(git config .+ false)`/.exec(fix) ?? [];
    execFileSync('sh', ['-c', line]);
    expect(await landing(), scope).toMatchObject({ kind: 'moved' });
    expect(await sh(repo, 'status', '--porcelain'), scope).toBe('');
  }
});

test('a bare repository without an index, and one whose HEAD is another branch, are moved in', async () => {
  for (const bring of ['no index', 'other HEAD'] as const) {
    const { here, head, to } = await conflicting();
    if (bring === 'no index') await rm(join(here.user, '.git', 'index'));
    else await sh(here.user, 'switch', '--quiet', 'theirs');
    await sh(here.user, 'config', 'core.bare', 'true');
    expect(await land(here, { from: head, to, landingId: 'l1' }), bring).toMatchObject({ kind: 'moved' });
  }
});
