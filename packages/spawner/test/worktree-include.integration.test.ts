import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import { withIncluded } from '../src/workspace/worktree-include.ts';
import { git } from './support/real.ts';
import { sh, verifying } from './support/verifying.ts';
import { workspaces } from './support/workspaces.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const files = {
  '.gitignore': '.env*\nsecrets/\nnode_modules/\n*.key\n',
  '.worktreeinclude': '# what tests need\n.env\n!.env.prod\n/secrets/dev/*.json\n*.key\nkept.txt\n',
  'kept.txt': 'tracked\n',
  'pkg/a.txt': 'a\n',
};
const owner = { taskId: 't1', fence: 1 };

test('ignored files that .worktreeinclude names are in each worktree, for agents and for verification, and never committed', async () => {
  await using w = await workspaces(files, null);
  await w.repo.write({ '.env': 'A=1', '.env.prod': 'P=1', 'pkg/.env': 'B=1', 'node_modules/x/.env': 'C=1' });
  const first = await w.pool.acquire({ head: w.head, owner });
  const here = (file: string) => existsSync(path.join(first.path, file));
  expect(['.env', 'pkg/.env', '.env.prod', 'node_modules', 'kept.txt'].map(here)).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  expect(first.state.copied).toEqual(['.env', 'pkg/.env']);
  await w.pool.release(first);
  await w.repo.write({ '.env': 'A=2' });
  const again = await w.pool.acquire({ head: w.head, owner: null });
  expect(readFileSync(path.join(again.path, '.env'), 'utf8')).toBe('A=2');

  await using v = await verifying(files, { isolation: 'auto' });
  await v.repo.write({ '.env': 'A=1' });
  const at = { head: v.head, onto: v.head };
  await v.verifyPool.use(at, async (place) => {
    expect(await sh(place, 'cat .env')).toMatchObject({ stdout: 'A=1', changed: [], left: [] });
  });
  await v.repo.write({ '.env': 'A=3' });
  await v.verifyPool.use(at, async (place) => {
    expect((await sh(place, 'cat .env')).stdout).toBe('A=3');
  });
});

test('only what git ignores in the checkout is named, folders as one, and nothing that leads out of it', async () => {
  await using w = await workspaces(files, null);
  await w.repo.write({
    'secrets/dev/a b ü.json': '{}',
    'secrets/dev/x.txt': '',
    'secrets/prod/a.json': '{}',
    '-odd.key': 'k',
    'untracked.txt': '',
    'deep/keys.key/inner': 'a folder of that name',
  });
  symlinkSync('/etc/passwd', path.join(w.repo.path, 'outside.key'));
  symlinkSync('/nonexistent', path.join(w.repo.path, 'broken.key'));
  const options = { git, sourceRoot: w.repo.path, log };
  const named = async (setup: ReturnType<typeof workspaceSetup.parse> | null) =>
    (await withIncluded(setup, options))?.copy.toSorted();
  expect(await named(null)).toEqual(['-odd.key', 'deep/keys.key', 'secrets/dev/a b ü.json']);
  const configured = workspaceSetup.parse({ symlink: ['secrets'], copy: ['-odd.key'] });
  expect(await named(configured)).toEqual(['-odd.key', 'deep/keys.key']);
  expect(await withIncluded(configured, { ...options, sourceRoot: null })).toBe(configured);
  await w.repo.write({ '.worktreeinclude': null });
  expect(await withIncluded(null, options)).toBeNull();
});

test('a pattern that names thousands of files is refused with the way out', async () => {
  await using w = await workspaces({ '.gitignore': '*.log\n', '.worktreeinclude': '*.log\n' }, null);
  await w.repo.write(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}.log`, ''])));
  await expect(withIncluded(null, { git, sourceRoot: w.repo.path, log })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    fix: expect.stringContaining('Name whole folders') as unknown,
  });
});
