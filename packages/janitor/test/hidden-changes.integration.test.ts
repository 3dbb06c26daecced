import { execFileSync } from 'node:child_process';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { hiddenText, mergeRun } from '../src/index.ts';
import { candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git, gitEnvironment } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'b c.txt': 'b\n', 'left.txt': 'left\n' };
const change = { 'a.txt': 'landed\n', 'b c.txt': null };

async function ready(): Promise<{ here: Scene; landing: () => ReturnType<typeof land>; to: string }> {
  const here = await scene(files, { target: 'main' });
  const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  return { here, to, landing: () => land(here, { from: here.base, to, landingId: 'l1' }) };
}

/** Edits a file so that its size and time are what they were. */
async function editUnseen(repo: string, file: string): Promise<void> {
  const path = join(repo, file);
  const { atime, mtime } = await stat(path);
  await writeFile(path, 'X\n');
  await utimes(path, atime, mtime);
}

test.each(['assume-unchanged', 'skip-worktree'] as const)(
  'a change that is hidden by %s holds the landing up, is named, and can be shown by the command named',
  async (by) => {
    const { here, landing } = await ready();
    await sh(here.user, 'update-index', `--${by}`, 'a.txt', 'b c.txt', 'left.txt');
    await write(here.user, { 'a.txt': 'mine\n', 'b c.txt': 'mine\n', 'left.txt': 'mine\n' });
    expect(await sh(here.user, 'status', '--porcelain')).toBe('');
    const before = await here.repo.snapshot();
    const hidden = ['a.txt', 'b c.txt'].map((path) => ({ path, by }));
    const blocked = { kind: 'blocked', blocked: 'checkout_hidden', path: here.user, hidden };
    expect(await landing()).toEqual(blocked);
    expect(diffSnapshots(before, await here.repo.snapshot(), { except: [/^ORIG_HEAD$/] })).toEqual([]);
    const { what, fix } = hiddenText('main', { path: here.user, hidden });
    expect(what).toContain('a.txt, b c.txt');
    expect(fix).toContain(`git -C ${here.user} update-index --no-${by} -- a.txt 'b c.txt'`);
    await sh(here.user, 'update-index', `--no-${by}`, '--', 'a.txt', 'b c.txt');
    await sh(here.user, 'stash', 'push', '--quiet', '--', 'a.txt', 'b c.txt');
    expect(await landing()).toMatchObject({ kind: 'moved' });
    expect(await readFile(join(here.user, 'left.txt'), 'utf8')).toBe('mine\n');
  },
);

test.each([
  ['core.trustctime', 'false'],
  ['core.checkStat', 'minimal'],
])('with %s=%s, an edit of the same size and time is not overwritten', async (setting, value) => {
  const { here, landing, to } = await ready();
  await here.repo.git('config', setting, value);
  // Older than the index, so that git takes the time for an answer.
  await utimes(join(here.user, 'a.txt'), 1_700_000_000, 1_700_000_000);
  await sh(here.user, 'update-index', '--refresh');
  await editUnseen(here.user, 'a.txt');
  const hidden = [{ path: 'a.txt', by: 'stat' }];
  expect(await landing()).toMatchObject({ blocked: 'checkout_hidden', hidden });
  await sh(here.user, 'fetch', '--quiet', here.clone, to);
  await sh(here.user, 'branch', 'baton/run', to);
  const merge = mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' });
  await expect(merge).rejects.toMatchObject({ code: 'REPO_DIRTY', fix: expect.stringContaining('touch ') });
  expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('X\n');
  await utimes(join(here.user, 'a.txt'), new Date(), new Date());
  expect(await sh(here.user, 'status', '--porcelain')).toBe('M a.txt');
  await sh(here.user, 'checkout', '--', 'a.txt');
  expect(await landing()).toMatchObject({ kind: 'moved' });
});

test.each([
  ['assume-unchanged', 'a fast-forward'],
  ['skip-worktree', 'a merge commit'],
] as const)(
  'a change that is hidden by %s refuses the merge of a run by %s, and the commands named let it in',
  async (by, kind) => {
    const { here, to } = await ready();
    await sh(here.user, 'fetch', '--quiet', here.clone, to);
    await sh(here.user, 'branch', 'baton/run', to);
    if (kind === 'a merge commit') await commit(here.user, { 'other.txt': 'other\n' });
    await sh(here.user, 'update-index', `--${by}`, 'a.txt');
    await write(here.user, { 'a.txt': 'mine\n' });
    const merge = (dryRun = false) =>
      mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main', dryRun });
    const error = await merge().then(
      () => null,
      (thrown: { code: string; message: string; fix: string }) => thrown,
    );
    expect(error).toMatchObject({
      code: 'REPO_DIRTY',
      message: expect.stringContaining(': a.txt.') as string,
    });
    await expect(merge(true)).rejects.toMatchObject({ code: 'REPO_DIRTY', message: error?.message });
    expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('mine\n');
    for (const [, command = ''] of (error?.fix ?? '').matchAll(/`([^`]+)`/g))
      execFileSync('sh', ['-c', command], { stdio: 'pipe', env: gitEnvironment });
    expect(await merge(true)).toEqual({
      kind: kind === 'a merge commit' ? 'would_merge' : 'would_fast_forward',
    });
    expect(await merge()).toMatchObject({ kind: kind === 'a merge commit' ? 'merged' : 'fast_forward' });
    expect(await sh(here.user, 'stash', 'list')).not.toBe('');
  },
);

test('a file that is as it was, or is gone unseen, holds nothing up', async () => {
  const { here, landing } = await ready();
  await here.repo.git('config', 'core.checkStat', 'minimal');
  await sh(here.user, 'update-index', '--skip-worktree', 'b c.txt');
  await write(here.user, { 'b c.txt': null });
  expect(await landing()).toMatchObject({ kind: 'moved' });
});

test.skipIf(process.platform === 'darwin').each(['skip-worktree', 'stat'] as const)(
  'a change that is hidden by %s under a name that is no UTF-8 is named, and the commands named make git show it',
  async (by) => {
    const here = await scene(files, { target: 'main' });
    const named = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`${here.user}/`), Buffer.from(name, 'latin1')]);
    const [odd, like] = ['50% \\ caf\xe9.txt', '50% \\ caf\xe8.txt'];
    await writeFile(named(odd), 'a\n');
    await writeFile(named(like), 'a\n');
    const from = await commit(here.user, {});
    const quoted = String.raw`"50% \\ caf\351.txt"` + '\n';
    await writeFile(named(odd), 'b\n');
    const to = await commit(here.user, {});
    await sh(here.user, 'reset', '--quiet', '--hard', from);
    if (by === 'stat') {
      await sh(here.user, 'config', 'core.checkStat', 'minimal');
      await utimes(named(odd), 1_700_000_000, 1_700_000_000);
      await sh(here.user, 'update-index', '--refresh');
    } else await git(['update-index', `--${by}`, '--stdin'], { cwd: here.user, stdin: quoted });
    await writeFile(named(odd), 'm\n');
    if (by === 'stat') await utimes(named(odd), 1_700_000_000, 1_700_000_000);
    const landing = () => land(here, { from, to, landingId: 'l1' });
    const path = String.raw`50% \ caf\351.txt`;
    const hidden = [{ path, by }];
    expect(await landing()).toMatchObject({ kind: 'blocked', blocked: 'checkout_hidden', hidden });
    const commands = [...hiddenText('main', { path: here.user, hidden }).fix.matchAll(/`([^`]+)`/g)];
    for (const [, command = ''] of commands)
      execFileSync('sh', ['-c', command], { stdio: 'pipe', env: gitEnvironment });
    expect(await readFile(named(odd), 'utf8')).toBe('a\n');
    expect(await sh(here.user, 'stash', 'list')).not.toBe('');
    expect(await landing()).toMatchObject({ kind: 'moved' });
  },
);
