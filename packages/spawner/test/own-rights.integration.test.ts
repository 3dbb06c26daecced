import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspaces } from './support/workspaces.ts';

const nobody = 65_534;
const fixture = path.join(import.meta.dirname, 'fixtures/without-rights-main.ts');

/** Root needs no rights: the scripts run as another user there. @returns what became of the work of each */
async function played(scripts: readonly string[]): Promise<unknown> {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const { dir, setup, sourceRoot, env } = w.poolOptions;
  const order = {
    ...{ plain: { dir, setup, sourceRoot, env }, stateDir: w.state.path, location: w.repo.path },
    ...{ head: w.head, scripts },
  };
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, w.state.path, w.repo.path]);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--conditions=@baton/source', '--no-warnings', fixture],
    {
      ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      ...{ input: JSON.stringify(order), encoding: 'utf8', env: { ...env, HOME: w.state.path }, cwd: '/' },
    },
  );
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('work is committed, and its place used again, though the agent took all rights to its worktree away', async () => {
  const kept = { committed: ['b.txt'], saved: 'a.txt\nb.txt\n', retired: false };
  const scripts = ['chmod 000 .', 'chmod 000 .git', 'chmod 000 .git .', 'chmod 000 ..'];
  expect(await played(scripts.map((script) => `echo w > b.txt; ${script}`))).toEqual(scripts.map(() => kept));
});

test('what cannot be committed without rights is saved with its folder', async () => {
  const [end] = (await played(['mkdir d; echo w > d/b.txt; chmod 000 d/b.txt d .'])) as {
    committed: unknown;
    saved: string;
    retired: boolean;
  }[];
  expect(end).toEqual({
    committed: expect.anything() as unknown,
    saved: 'a.txt\nd/b.txt\n',
    retired: false,
  });
});
