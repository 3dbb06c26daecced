import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { unmatchedGatePaths } from './gate-paths.ts';

const gateFor = (...paths: string[]) => ({
  gates: [{ name: 'tests', command: ['true'] as [string], required: true, timeout: 1_000, paths }],
});

test('a warning names gate paths that are not in the checkout, with the name that differs only in case', async () => {
  await using root = await tempDir();
  await mkdir(path.join(root.path, 'src', 'lib'), { recursive: true });
  await writeFile(path.join(root.path, 'src', 'a.ts'), '');
  const told = (...paths: string[]) => unmatchedGatePaths(root.path, gateFor(...paths));
  expect(told('src', './src/', 'src/lib/', 'src/a.ts', '.', '')).toEqual([]);
  expect(told('src', 'SRC')).toEqual([
    'gates.0.paths.1: nothing in the repository is called SRC (there is src); as long as that is so, no change is below SRC.',
  ]);
  expect(told('src/Lib/x')[0]).toContain('called src/Lib (there is src/lib); as');
  expect(told('scr')[0]).toContain('called scr; as');
});
