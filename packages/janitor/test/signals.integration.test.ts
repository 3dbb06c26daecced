import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CompletionSignal } from '@baton/contracts';
import { changeOf, command } from './helpers/verifying.ts';

const tree = {
  'src/a.ts': 'export const a = 1;\n',
  'src/deep/b.test.ts': 'b\n',
  '.config/x.json': '{}\n',
  inside: { link: 'src/a.ts' },
  'up/inside': { link: '../src' },
  outside: { link: '../../secret.txt' },
  absolute: { link: '/etc/passwd' },
  dangling: { link: 'nothing-here' },
};

const cases: [boolean, CompletionSignal][] = [
  [true, { type: 'path_exists', path: 'src/a.ts' }],
  [true, { type: 'path_exists', path: './src/' }],
  [true, { type: 'path_exists', path: '.' }],
  [true, { type: 'path_exists', path: 'inside' }],
  [true, { type: 'path_exists', path: 'up/inside/deep/b.test.ts' }],
  [false, { type: 'path_exists', path: 'src/missing.ts' }],
  [false, { type: 'path_exists', path: 'dangling' }],
  [false, { type: 'path_exists', path: 'outside' }],
  [false, { type: 'path_exists', path: 'absolute' }],
  [false, { type: 'path_exists', path: '.git/config' }],
  [false, { type: 'path_exists', path: 'built/out.js' }],
  [false, { type: 'path_exists', path: 'src/a.ts\nHEAD' }],
  [true, { type: 'glob_exists', pattern: 'src/**/*.test.ts' }],
  [true, { type: 'glob_exists', pattern: '**/x.json' }],
  [true, { type: 'glob_exists', pattern: 'src/{a,z}.ts' }],
  [true, { type: 'glob_exists', pattern: 'src/a.ts' }],
  [false, { type: 'glob_exists', pattern: 'src/*.test.ts' }],
  [false, { type: 'glob_exists', pattern: 'built/*' }],
  [true, { type: 'file_contains', path: 'src/a.ts', text: 'const a = 1' }],
  [true, { type: 'file_contains', path: 'inside', text: 'export' }],
  [false, { type: 'file_contains', path: 'src/a.ts', text: 'const b' }],
  [false, { type: 'file_contains', path: 'src', text: 'a.ts' }],
  [false, { type: 'file_contains', path: 'outside', text: 'x' }],
  [false, { type: 'file_contains', path: 'absolute', text: 'root' }],
  [true, { type: 'file_not_contains', path: 'src/a.ts', text: 'const b' }],
  [true, { type: 'file_not_contains', path: 'src/missing.ts', text: 'x' }],
  [false, { type: 'file_not_contains', path: 'src/a.ts', text: 'const a' }],
  [false, { type: 'file_not_contains', path: 'outside', text: 'x' }],
  [false, { type: 'file_not_contains', path: 'src', text: 'x' }],
  [true, command('test -f src/a.ts')],
  [false, command('exit 7')],
  [false, command('sleep 20', 200)],
  [true, { type: 'diff_within', paths: ['.'] }],
  [true, { type: 'diff_within', paths: ['src/', 'top.txt'] }],
  [false, { type: 'diff_within', paths: ['src'] }],
  [false, { type: 'diff_within', paths: ['sr', 'top'] }],
  [false, { type: 'llm_review', prompt: 'It is right.' }],
  [false, { type: 'llm_judge', criteria: 'It is short.', min_confidence: 0.7 }],
];

test('signals hold or not by what is in the tree that would land', async () => {
  const change = await changeOf(tree, { 'src/a.ts': 'export const a = 1; // new\n', 'top.txt': 'top\n' });
  await mkdir(join(change.root, 'built'));
  await writeFile(join(change.root, 'built', 'out.js'), 'left by set-up, does not land\n');
  const verdict = await change.verify({ signals: cases.map(([, signal]) => signal) });
  const found = verdict.results
    .filter((result) => result.kind === 'signal')
    .map((result) => [result.passed, result.name]);
  expect(found.length).toBe(cases.length);
  for (const [at, [expected, signal]] of cases.entries())
    expect(found[at]?.[0], `${JSON.stringify(signal)}: ${verdict.results[at + 4]?.reason}`).toBe(expected);
});

test('a link out of the repository is named as such', async () => {
  const change = await changeOf(tree, { 'top.txt': 'top\n' });
  const verdict = await change.verify({
    signals: [{ type: 'file_contains', path: 'absolute', text: 'root' }],
  });
  expect(verdict.reasons).toEqual(['signal file_contains absolute: absolute leads outside the repository.']);
});
