import { tempDir } from '@baton/testkit';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadTriggers } from '../src/index.ts';

test('rules are read from a file, and what is wrong is reported with the path of the file', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'triggers.yaml');
  await writeFile(file, 'rules:\n  - { name: a, source: webhook, task: { title: T } }\n');
  expect((await loadTriggers(file)).rules).toMatchObject([{ name: 'a' }]);
  await writeFile(file, 'rulez: []\n');
  await expect(loadTriggers(file)).rejects.toMatchObject({ code: 'CONFIG_INVALID', at: `${file}:1:1` });
});

test('a file that is missing is reported as missing', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'none.yaml');
  await expect(loadTriggers(file)).rejects.toMatchObject({ code: 'FILE_MISSING', at: file });
});

test('a file in another encoding is refused with the place, and a pipe is not waited for', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'triggers.yaml');
  await writeFile(file, Buffer.from('rules:\n  - { name: caf\u00e9 }\n', 'latin1'));
  await expect(loadTriggers(file)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    at: `${file}:2:16`,
    message: expect.stringContaining('this is not UTF-8 text') as string,
  });
  const pipe = path.join(folder.path, 'pipe.yaml');
  execFileSync('mkfifo', [pipe]);
  await expect(loadTriggers(pipe)).rejects.toMatchObject({
    code: 'FILE_MISSING',
    message: expect.stringContaining('is no regular file') as string,
  });
  expect((await loadTriggers('/dev/null')).rules).toEqual([]);
});
