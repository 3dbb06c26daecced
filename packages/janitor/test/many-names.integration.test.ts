import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  hiddenText,
  listChangedPaths,
  mergeRun,
  moveTarget,
  settleIntent,
  testsAlone,
} from '../src/index.ts';
import { takeLane } from './helpers/landing.ts';
import { commit, sh, userAndClone, type UserAndClone } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** Names that together are longer than a program's arguments may be: 2 MB on Linux. */
const folder = ['test', ...Array.from({ length: 14 }, () => 'f'.repeat(240))].join('/');
const names = Array.from(
  { length: 650 },
  (_, at) => `${String(at).padStart(3, '0')}${'n'.repeat(200)}.test.js`,
);

async function writeAll(root: string, text: string): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  for (const name of names) await writeFile(join(root, folder, name), text);
}

/** A change of all these files, checked out before it, and the commit with it. */
async function change(): Promise<UserAndClone & { from: string; to: string }> {
  const here = await userAndClone({ 'a.txt': 'a\n', '.gitignore': 'none\n' });
  await writeAll(here.user, 'old\n');
  const from = await commit(here.user, {});
  await writeAll(here.user, 'new\n');
  const to = await commit(here.user, { 'a.txt': 'b\n' });
  await sh(here.user, 'branch', 'baton/run', to);
  return { ...here, from, to };
}

test.skipIf(process.platform === 'darwin')(
  'a landing names what is hidden or in its way in however many files, and a repair takes back however many',
  { tags: ['long'] },
  async () => {
    const { user, clone, stateDir, base, from, to } = await change();
    const lane = await takeLane({ repo: user, target: 'main', epoch: 1 });
    await sh(user, 'update-ref', 'refs/heads/main', from);
    await sh(user, 'read-tree', from);
    const intent = { fromCommit: from, candidateCommit: to, holder: { lockFiles: [] } };
    expect(await settleIntent({ git, repo: user, target: 'main', intent, holderDead: true })).toBe(false);
    expect(await sh(user, 'status', '--porcelain')).toBe('');

    await sh(user, 'config', 'core.checkStat', 'minimal');
    const stdin = names.map((name) => `${folder}/${name}\n`).join('');
    await git(['update-index', '--skip-worktree', '--stdin'], { cwd: user, stdin });
    await writeAll(user, 'mine\n');
    const move = { git, repo: user, clone, stateDir, target: 'main', lane, from, to, landingId: 'l1' };
    const outcome = await moveTarget(move);
    if (outcome.kind !== 'blocked' || outcome.blocked !== 'checkout_hidden') throw new Error(outcome.kind);
    expect(outcome.hidden).toHaveLength(names.length);
    expect(hiddenText('main', outcome).fix.length).toBeLessThan(400_000);

    await git(['update-index', '--no-skip-worktree', '--stdin'], { cwd: user, stdin });
    await sh(user, 'reset', '--quiet', '--hard', base);
    await writeFile(join(user, '.git/info/exclude'), 'test\n');
    await writeAll(user, 'mine\n');
    await expect(mergeRun({ git, repo: user, target: 'baton/run', into: 'main' })).rejects.toMatchObject({
      code: 'REPO_DIRTY',
      message: expect.stringContaining(`which git does not track here`),
    });
  },
);

test.skipIf(process.platform === 'darwin')(
  'the tests of a change are those that did not only move, however many are deleted',
  async () => {
    const { user, to } = await change();
    await commit(user, { test: null, 'a.txt': 'c\n', 'other/moved.test.js': 'new\n' });
    const changes = await listChangedPaths({ git, clone: user, from: to, to: 'HEAD' });
    expect(await testsAlone({ git, clone: user, onto: to, changes })).toBeNull();
  },
);
