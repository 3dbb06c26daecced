import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchBranch } from '../src/index.ts';
import { commit, sh, userAndClone } from './helpers/repos.ts';
import { exec, gitEnvironment } from './helpers/run.ts';

test('fetches of one branch at the same time wait for each other', async () => {
  const { folder, user: root } = await userAndClone({ 'a.txt': 'a\n' });
  const bare = join(folder, 'remote.git');
  const other = join(folder, 'other');
  await sh(folder, 'clone', '--quiet', '--bare', root, bare);
  await sh(root, 'remote', 'add', 'origin', bare);
  await sh(root, 'fetch', '--quiet', 'origin');
  await sh(folder, 'clone', '--quiet', bare, other);
  const head = await commit(other, { 'b.txt': 'b\n' }, 'by somebody');
  await sh(other, 'push', '--quiet', 'origin', 'main');
  const place = { exec: exec, env: gitEnvironment, root };
  const lock = join(root, '.git', 'refs', 'remotes', 'origin', 'main.lock');
  await writeFile(lock, '');
  const fetches = Array.from({ length: 4 }, () => fetchBranch(place, { remote: 'origin', branch: 'main' }));
  setTimeout(() => void rm(lock), 300);
  await Promise.all(fetches);
  expect(await sh(root, 'rev-parse', 'origin/main')).toBe(head);
});
