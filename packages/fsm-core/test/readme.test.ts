import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const examples = [
  {
    name: 'the example',
    file: new URL('./readme-example.ts', import.meta.url),
    prints: [
      'CLAIMED',
      "start { ok: false, code: 'stale' }",
      "{ ok: true, state: 'IN_PROGRESS', seq: 2, refused: 0 }",
    ],
  },
  {
    name: 'the machine of one’s own',
    file: new URL('./readme-own-machine.ts', import.meta.url),
    prints: [
      'open',
      "{ ok: false, code: 'guard' }",
      'initial names unknown state ajar',
      'InvalidTransitionError: door in open cannot take event lock (illegal). Legal here: close → closed.',
    ],
  },
];

test('the examples in the README are those that are compiled and run here', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const shown = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
  expect(shown).toEqual(examples.map(({ file }) => readFileSync(file, 'utf8')));
});

test.each(examples)('$name prints what its comments say', ({ file, prints }) => {
  const run = spawnSync(process.execPath, ['--conditions=@baton/source', fileURLToPath(file)], {
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');
  expect(run.stdout.trim().split('\n')).toEqual(prints);
  for (const line of prints) expect(readFileSync(file, 'utf8')).toContain(`// ${line}`);
});
