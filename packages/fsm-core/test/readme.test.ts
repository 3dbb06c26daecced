import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const example = new URL('./readme-example.ts', import.meta.url);

test('the example in the README is the one that is compiled and run here', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(readFileSync(example, 'utf8'));
});

test('the example prints what its comments say', () => {
  const run = spawnSync(process.execPath, ['--conditions=@baton/source', fileURLToPath(example)], {
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  expect(run.stdout.trim().split('\n')).toEqual([
    'CLAIMED',
    "start { ok: false, code: 'stale' }",
    "{ ok: true, state: 'IN_PROGRESS', seq: 2, refused: 0 }",
  ]);
});
