import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import { tamperFlags } from '../src/index.ts';
import { git } from './helpers/run.ts';
import type { Files } from './helpers/repos.ts';
import { changeOf } from './helpers/verifying.ts';

const kept = 64 * 1024 * 1024;

/** Git as the spawner runs it: what it prints beyond a limit is cut off. */
const limited: Git = async (args, options) => {
  const result = await git(args, { ...options, timeoutMs: 120_000 });
  return { ...result, stdout: result.stdout.slice(0, kept), truncated: result.stdout.length > kept };
};

const line = `exports.value = 'a line of generated source of about eighty characters, as usual';\n`;
const source = (bytes: number): string => line.repeat(Math.floor(bytes / line.length));
const megabyte = 1024 * 1024;

async function flags(before: Files, after: Files): Promise<string[]> {
  const change = await changeOf({ 'readme.md': 'a\n', ...before }, after);
  const options = { git: limited, clone: change.root, from: change.base, to: change.head, gates: [] };
  return (await tamperFlags(options)).map(({ text }) => text);
}

test(
  'many files that together are more than git may print are read in portions',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    const names = Array.from({ length: 15 }, (_, nth) => `src/table-${nth}.js`);
    const honest = Object.fromEntries(names.map((name) => [name, source(4.9 * megabyte)]));
    const cheat = { ...honest, 'src/table-14.js': `${source(4.8 * megabyte)}/* eslint-disable */\n` };
    expect(await flags({}, cheat), 'only what is no honest table').toEqual([
      expect.stringMatching(/^checks switched off: 1 more in src\/table-14\.js:\d+$/),
    ]);
  },
);

test('a file that is too big to be read is named, and the others are read', async () => {
  const found = await flags(
    { 'src/old.js': source(70 * megabyte), 'data/table.csv': 'a\n' },
    { 'src/bundle.js': source(70 * megabyte), 'src/old.js': null, 'data/table.csv': source(70 * megabyte) },
  );
  expect(found).toEqual([
    'too large to be read: src/bundle.js:1 (70.0 MB)',
    'too large to be read: src/old.js:1 (70.0 MB)',
  ]);
}, 120_000);

test('a manifest that is too big to be read is named', async () => {
  const manifest = (size: number): string => JSON.stringify({ name: 'big', text: 'x'.repeat(size) });
  const found = await flags({ 'package.json': manifest(1) }, { 'package.json': manifest(70 * megabyte) });
  expect(found).toEqual([
    'gate definition: package.json:1 was deleted or cannot be read',
    'too large to be read: package.json:1 (70.0 MB)',
  ]);
}, 120_000);
