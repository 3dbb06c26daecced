import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { makeTemporaryFolder } from './temporary-folder.ts';

test('a folder for temporary files has an absolute path, also where TMPDIR is relative', async () => {
  await using parent = await tempDir();
  for (const named of [parent.path, path.relative(process.cwd(), parent.path), undefined]) {
    const made = await makeTemporaryFolder('baton-', named);
    expect(path.isAbsolute(made), made).toBe(true);
    await rm(made, { recursive: true });
  }
  expect(await readdir(parent.path)).toEqual([]);
});

test('a folder for temporary files that is missing is named, with the variable that names another', async () => {
  await using parent = await tempDir();
  const missing = path.join(parent.path, 'missing');
  await expect(makeTemporaryFolder('baton-', missing)).rejects.toMatchObject({
    ...{ code: 'STATE_UNWRITABLE', at: missing },
    fix: expect.stringContaining('TMPDIR') as string,
  });
});
