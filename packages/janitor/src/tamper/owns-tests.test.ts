import { expect, test } from 'vitest';
import { namesGates, namesTests } from './owns-tests.ts';

test.each([
  [['test/a.test.js'], 'test/a.test.js', true],
  [['test'], 'test/a.test.js', true],
  [['packages/a/__tests__/'], 'packages/a/__tests__/x.ts', true],
  [['test/unit'], 'test/other/a.test.js', false],
  [['src'], 'src/a.test.js', false],
  [['.'], 'test/a.test.js', false],
  [['src/a.js'], 'test/a.test.js', false],
  [[], 'test/a.test.js', false],
])('a task with the files %j owns the test %s: %s', (files, path, owned) => {
  expect(namesTests({ files, role: 'backend' })(path)).toBe(owned);
  expect(namesTests({ files, role: 'QA' })(path)).toBe(true);
});

test.each([
  [['.github'], '.github/workflows/ci.yml', true],
  [['.github/workflows'], '.github/workflows/ci.yml', true],
  [['.'], '.github/workflows/ci.yml', false],
  [['packages/a'], 'packages/a/Makefile', false],
])('a task with the files %j owns the gate definition %s: %s', (files, path, owned) => {
  expect(namesGates(files)(path)).toBe(owned);
});
