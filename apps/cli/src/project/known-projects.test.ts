import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { knownProjects } from './known-projects.ts';

test('the name of a project never looks like an option, whatever its folder is called', async () => {
  await using home = await tempDir();
  const dir = path.join(home.path, 'projects/--x-1a2b3c4d');
  await mkdir(dir, { recursive: true });
  expect(await knownProjects(home.path)).toMatchObject([{ key: 'x-1a2b3c4d', dir }]);
});
