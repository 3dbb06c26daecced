import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { fileTools } from '../src/in-process/tools/file-tools.ts';

/** Calls a tool by its name, as the loop does. */
async function call(root: string, name: string, input: Record<string, unknown>): Promise<unknown> {
  const tool = fileTools(root).find((one) => one.name === name);
  return tool?.run(input, new AbortController().signal);
}

test('a file is replaced as a whole and keeps its mode: the one before is never half overwritten', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'run.sh');
  const before = path.join(folder.path, 'before');
  writeFileSync(file, 'one two\n');
  chmodSync(file, 0o755);
  linkSync(file, before);
  await call(folder.path, 'edit_file', { path: 'run.sh', old: 'two', new: 'three' });
  expect(readFileSync(file, 'utf8')).toBe('one three\n');
  expect(readFileSync(before, 'utf8')).toBe('one two\n');
  await call(folder.path, 'write_file', { path: 'run.sh', content: 'four\n' });
  expect(readFileSync(file, 'utf8')).toBe('four\n');
  expect(statSync(file).mode & 0o777).toBe(0o755);
  expect(readdirSync(folder.path).sort()).toEqual(['before', 'run.sh']);
});

test('a draft that a killed process left is taken, and none is left by a call that fails', async () => {
  await using folder = await tempDir();
  const outside = path.join(folder.path, 'outside');
  const root = path.join(folder.path, 'root');
  mkdirSync(path.join(root, 'folder'), { recursive: true });
  writeFileSync(outside, 'mine\n');
  symlinkSync(outside, path.join(root, '.baton-new'));
  await call(root, 'write_file', { path: 'a.txt', content: 'a\n' });
  expect(readFileSync(outside, 'utf8')).toBe('mine\n');
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a\n');
  await expect(call(root, 'write_file', { path: 'folder', content: 'b\n' })).rejects.toThrow();
  expect(readdirSync(root).sort()).toEqual(['a.txt', 'folder']);
});
