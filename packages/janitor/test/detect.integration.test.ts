import { expect, test } from 'vitest';
import { detectGates } from '../src/index.ts';
import { temporaryFolder, write } from './helpers/repos.ts';

test('the gates of a real folder are found without running anything', async () => {
  const root = await temporaryFolder();
  await write(root, {
    'package.json': '{"scripts":{"test":"node --test"}}',
    'yarn.lock': '',
    'Makefile/x': 'a folder of that name',
  });
  const found = await detectGates(root);
  expect(found.map(({ gate, reason }) => [gate.name, gate.command, reason])).toEqual([
    ['tests', ['yarn', 'test'], 'package.json has the script "test"'],
  ]);
});

test('a folder that is not there is an error with a way out', async () => {
  await expect(detectGates('/nonexistent/here')).rejects.toMatchObject({
    code: 'FILE_MISSING',
    fix: expect.any(String),
  });
});
