import { expect, test } from 'vitest';
import { detectProject } from './detect-project.ts';
import { knownTools, type RepoFacts } from './repo-facts.ts';

const gatesOf = (given: Partial<RepoFacts>): string[] => {
  const names = [...(given.names ?? []), ...Object.keys(given.texts ?? {})];
  const none = { texts: {}, installed: [], unfit: {}, marks: [], tools: knownTools };
  const { gates } = detectProject({ ...none, ...given, names });
  return gates.map(({ gate }) => `${gate.name}: ${gate.command.join(' ')}`);
};

test('tests of unittest in several folders are all run, from where discovery finds them', () => {
  const texts = { 'a/test_a.py': 'import unittest\n' };
  const of = (pythonTests: Record<string, string>) => gatesOf({ texts, pythonTests });
  expect(of({ 'a/test_a.py': 'a', 'b c/sum_test.py': 'b c' })).toEqual([
    "tests: sh -c python3 -m unittest discover -s a && python3 -m unittest discover -s 'b c' -p '*_test.py'",
  ]);
  expect(of({ 'tests/a/test_a.py': 'tests', 'tests/b/test_b.py': 'tests' })).toEqual([
    'tests: python3 -m unittest discover -s tests',
  ]);
  expect(of({ 'a/test_a.py': '.', 'b/test_b.py': '.' })).toEqual(['tests: python3 -m unittest']);
});

test('what a workspace leaves out gets no gate, and the gate of a package fails where its package is gone', () => {
  const test = JSON.stringify({ scripts: { test: 'x' } });
  const texts = {
    'package.json': '{}',
    'pnpm-workspace.yaml': "packages:\n  - 'packages/*'\n  - '!**/test/**'\n  - '!packages/old'\n",
    'packages/a/package.json': test,
    'packages/old/package.json': test,
    'packages/test/package.json': test,
    'examples/demo/package.json': test,
  };
  expect(gatesOf({ texts, names: ['pnpm-lock.yaml'] })).toEqual([
    'tests-a: pnpm --fail-if-no-match --filter ./packages/a test',
  ]);
});
