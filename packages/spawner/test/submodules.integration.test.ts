import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import type { WorkspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import { env, exec } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const allow = ['-c', 'protocol.file.allow=always'];
const setup: WorkspaceSetup = {
  setup: ['git', ...allow, 'submodule', '--quiet', 'update', '--init'],
  setup_timeout: 60_000,
  symlink: [],
  copy: [],
};

/** A repository with submodules at these paths, a worktree of it at work, and a folder of the user's outside of it. */
async function withSubmodules(...places: string[]) {
  const stack = new AsyncDisposableStack();
  const library = stack.use(await createRepo({ 'lib.txt': 'lib\n' }));
  const users = stack.use(await tempDir());
  const w = stack.use(await workspaces({ 'a.txt': 'one\n' }, setup));
  for (const place of places)
    await w.repo.git(
      ...allow,
      'submodule',
      '--quiet',
      'add',
      '--name',
      'lib',
      '--force',
      library.path,
      place,
    );
  await w.repo.git('commit', '-qm', 'submodules');
  const head = await w.clone.fetchTarget('main');
  const workspace = await w.pool.acquire({ head, owner: null });
  return { w, users, head, workspace, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a link in place of a folder above a submodule does not lead the next reset into the folder of a user', async () => {
  await using one = await withSubmodules('libs/deep/dep');
  const { w, users, head, workspace } = one;
  mkdirSync(path.join(users.path, 'deep/dep'), { recursive: true });
  writeFileSync(path.join(users.path, 'deep/dep/precious.txt'), 'precious\n');
  rmSync(path.join(workspace.path, 'libs'), { recursive: true });
  symlinkSync(users.path, path.join(workspace.path, 'libs'));
  await w.pool.release(workspace);
  const next = await w.pool.acquire({ head, owner: null });
  expect(readFileSync(path.join(users.path, 'deep/dep/precious.txt'), 'utf8')).toBe('precious\n');
  expect(readdirSync(path.join(users.path, 'deep/dep'))).toEqual(['precious.txt']);
  expect(readFileSync(path.join(next.path, 'libs/deep/dep/lib.txt'), 'utf8')).toBe('lib\n');
});

test('a link in place of a submodule, or of the whole worktree, is removed as a link', async () => {
  await using one = await withSubmodules('dep');
  const { w, users, head, workspace } = one;
  mkdirSync(path.join(users.path, 'dep'));
  writeFileSync(path.join(users.path, 'dep/precious.txt'), 'precious\n');
  rmSync(path.join(workspace.path, 'dep'), { recursive: true });
  symlinkSync(path.join(users.path, 'dep'), path.join(workspace.path, 'dep'));
  await w.pool.release(workspace);
  const second = await w.pool.acquire({ head, owner: null });
  expect(readFileSync(path.join(second.path, 'dep/lib.txt'), 'utf8')).toBe('lib\n');

  renameSync(second.path, path.join(w.state.path, 'elsewhere'));
  mkdirSync(path.join(users.path, '.git/modules'), { recursive: true });
  symlinkSync(users.path, second.path);
  await w.pool.release(second);
  const third = await w.pool.acquire({ head, owner: null });
  expect(readFileSync(path.join(third.path, 'dep/lib.txt'), 'utf8')).toBe('lib\n');
  expect(readFileSync(path.join(users.path, 'dep/precious.txt'), 'utf8')).toBe('precious\n');
});

test('a submodule whose name is no UTF-8 is set up, cleared and set up again', async () => {
  await using one = await withSubmodules('dep');
  const { w } = one;
  const renamed =
    'git mv dep "$(printf "caf\\351")" && git -c user.name=a -c user.email=a@b commit -qm moved';
  const moved = await exec(['sh', '-c', renamed], { cwd: w.repo.path, env, timeoutMs: 30_000 });
  expect(moved.exitCode, moved.stderr).toBe(0);
  const head = await w.clone.fetchTarget('main');
  const at = (tree: string, file: string) => Buffer.from(`${tree}/caf\xe9/${file}`, 'latin1');
  const first = await w.pool.acquire({ head, owner: null });
  expect(readFileSync(at(first.path, 'lib.txt'), 'utf8')).toBe('lib\n');
  writeFileSync(at(first.path, 'added.txt'), 'added\n');
  await w.pool.release(first);
  const second = await w.pool.acquire({ head, owner: null });
  expect(readFileSync(at(second.path, 'lib.txt'), 'utf8')).toBe('lib\n');
  expect(existsSync(at(second.path, 'added.txt'))).toBe(false);
});
