import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { clone as cloneOf } from './support/places.ts';
import { git } from './support/real.ts';

test('a graft of the user hides no history: what it cuts off is fetched, and counts as held', async () => {
  await using repo = await createRepo({ 'a.txt': '0\n' });
  const first = await repo.git('rev-parse', 'HEAD');
  await repo.commit({ 'a.txt': '1\n' }, 'second');
  const head = await repo.git('rev-parse', 'HEAD');
  await repo.write({ '.git/info/grafts': `${head}\n` });
  await using state = await tempDir();
  const clone = await cloneOf(repo.path, path.join(state.path, 'state'));
  expect(await clone.fetchTarget('main')).toBe(head);
  for (const cwd of [repo.path, clone.path])
    expect((await git(['merge-base', '--is-ancestor', first, head], { cwd })).exitCode).toBe(0);
});
