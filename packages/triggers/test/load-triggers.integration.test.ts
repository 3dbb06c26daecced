import { tempDir } from '@baton/testkit';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadTriggers } from '../src/index.ts';

test('rules are read from a file, and what is wrong is told with the path of the file', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'triggers.yaml');
  await writeFile(file, 'rules:\n  - { name: a, source: webhook, task: { title: T } }\n');
  expect((await loadTriggers(file)).rules).toMatchObject([{ name: 'a' }]);
  await writeFile(file, 'rulez: []\n');
  await expect(loadTriggers(file)).rejects.toMatchObject({ code: 'CONFIG_INVALID', at: `${file}:1:1` });
});

test('a file that is missing is told as missing', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'none.yaml');
  await expect(loadTriggers(file)).rejects.toMatchObject({ code: 'FILE_MISSING', at: file });
});
