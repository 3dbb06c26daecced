import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { atWorkIn, noteAtWork } from './at-work.ts';

test('a note that cannot be removed does not hide how a command ended', async () => {
  await using state = await tempDir();
  const note = noteAtWork(state.path);
  expect(atWorkIn(state.path)).toEqual([process.pid]);
  await rm(path.join(state.path, 'at-work'), { recursive: true });
  await writeFile(path.join(state.path, 'at-work'), 'no folder');
  expect(() => note[Symbol.dispose]()).not.toThrow();
  expect(atWorkIn(state.path)).toEqual([]);
});
