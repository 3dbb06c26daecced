import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { flags, honest, json, scripts } from './helpers/gate-changes.ts';
import type { Files } from './helpers/repos.ts';

const asserts = '#!/bin/sh\n. ./calc.sh\n[ "$(half 4)" = 2 ] || exit 1\n';

const direct: [line: string, command: string[], program: string, text: string][] = [
  ['a runner of tests in shell', ['bash', 'tests/run.sh'], 'tests/run.sh', 'node --test test || exit 1\n'],
  [
    'a program called test',
    ['python3', 'scripts/test.py'],
    'scripts/test.py',
    "import subprocess\nsubprocess.run(['pytest'], check=True)\n",
  ],
  ['a command line with a semicolon', ['sh', '-ec', 'sh ci/a.sh; echo done'], 'ci/a.sh', 'exit 1\n'],
  ['a name in quotes', ['sh', '-c', 'bash "ci/a.sh" && echo ok'], 'ci/a.sh', 'exit 1\n'],
  ['a name below the working directory', ['sh', '-c', '"$PWD/ci/a.sh"'], 'ci/a.sh', 'exit 1\n'],
  ['a roundabout path', ['./ci/../ci/check.sh'], 'ci/check.sh', 'exit 1\n'],
  ['the value of an option', ['tool', '--config=ci/rules.conf'], 'ci/rules.conf', 'strict = yes\n'],
  ['a folder that is run', ['node', 'ci'], 'ci/index.js', 'process.exit(1);\n'],
  ['a folder that a tool is given', ['tool', 'ci/'], 'ci/rules/strict.conf', 'strict = yes\n'],
  ['a module of Python', ['python3', '-m', 'tools.check'], 'tools/check.py', 'raise SystemExit(1)\n'],
  ['a package of Go', ['go', 'run', './ci/check'], 'ci/check/rules.go', 'package main\n'],
  ['a program without its ending', ['node', 'ci/check'], 'ci/check.mjs', 'process.exit(1);\n'],
  ['a name with a space', ['bash', 'ci/my check.sh'], 'ci/my check.sh', 'exit 1\n'],
];

for (const [lines, tagged] of inParts(6, direct))
  test.each(lines)(
    'an edit of what a gate runs is flagged: %s',
    tagged,
    async (_, command, program, text) => {
      const given = { before: { [program]: text }, command };
      const place = `gate definition: ${program}:1, which a gate runs,`;
      expect(await flags(given, { [program]: 'true\n', ...honest })).toEqual([`${place} modified`]);
      expect(await flags(given, { [program]: null, ...honest })).toContainEqual(`${place} deleted`);
    },
  );

const steps: [line: string, command: string[], before: Files, program: string][] = [
  [
    'a script that changes its folder',
    ['npm', 'test'],
    scripts({ test: 'cd ci && node check.js' }),
    'ci/check.js',
  ],
  [
    'a script that leaves the ending out',
    ['npm', 'run', 'verify'],
    scripts({ verify: 'node scripts/check' }),
    'scripts/check.js',
  ],
  [
    'a package in another folder',
    ['npm', '--prefix', 'web', 'run', 'verify'],
    { 'web/package.json': json({ scripts: { verify: 'node check.cjs' } }) },
    'web/check.cjs',
  ],
  [
    'a package of a workspace',
    ['npm', 'run', 'verify', '--workspace=web'],
    {
      'package.json': json({ workspaces: ['web'] }),
      'web/package.json': json({ scripts: { verify: 'node check.cjs' } }),
    },
    'web/check.cjs',
  ],
  ['what a shell loads', ['sh', 'ci/run.sh'], { 'ci/run.sh': '. ci/lib.sh\ncheck\n' }, 'ci/lib.sh'],
  [
    'what a shell loads from its own folder',
    ['sh', 'ci/run.sh'],
    { 'ci/run.sh': 'source "$(dirname "$0")/lib.sh"\n' },
    'ci/lib.sh',
  ],
  [
    'what a program of a gate starts',
    ['sh', 'ci/run.sh'],
    { 'ci/run.sh': 'cd web\npython3 ../tools/rules.py\n' },
    'tools/rules.py',
  ],
  [
    'what a program of a gate imports',
    ['node', 'ci/run.js'],
    { 'ci/run.js': "import { rules } from './rules.js';\n" },
    'ci/rules.js',
  ],
  [
    'what a program in Python imports',
    ['python3', 'ci/run.py'],
    { 'ci/run.py': 'from rules import all_rules\n' },
    'ci/rules.py',
  ],
  ['what make runs', ['make', 'check'], { Makefile: 'check:\n\t./ci/check.sh\n' }, 'ci/check.sh'],
  [
    'scripts by a pattern',
    ['npm', 'run', 'all'],
    scripts({ all: 'run-s verify:*', 'verify:a': 'node ci/a.js' }),
    'ci/a.js',
  ],
  [
    'scripts by a pattern in quotes',
    ['npx', 'npm-run-all', 'verify:*'],
    scripts({ 'verify:a': 'node ci/a.js' }),
    'ci/a.js',
  ],
  [
    'a command of wireit',
    ['npm', 'run', 'verify'],
    {
      'package.json': json({
        scripts: { verify: 'wireit' },
        wireit: { verify: { command: 'node ci/a.js' } },
      }),
    },
    'ci/a.js',
  ],
];

for (const [lines, tagged] of inParts(4, steps))
  test.each(lines)(
    'an edit one step behind a gate is flagged: %s',
    tagged,
    async (_, command, before, program) => {
      const given = { before: { ...before, [program]: 'one\n' }, command };
      expect(await flags(given, { [program]: 'two\n', ...honest })).toEqual([
        `gate definition: ${program}:1, which a gate runs, modified`,
      ]);
    },
  );

test.each([
  [
    'a script by a pattern',
    { all: 'run-s "verify:*"', 'verify:a': 'jest' },
    { all: 'run-s "verify:*"', 'verify:a': 'true' },
  ],
  [
    'a script of a name that every object has',
    { all: 'jest', toString: 'a' },
    { all: 'true', toString: 'b' },
  ],
])('%s is a definition of its gate', async (_, old, now) => {
  const given = { before: scripts(old), command: ['npm', 'run', 'all'] };
  expect(await flags(given, scripts(now))).toEqual([
    expect.stringMatching(/^gate definition: script "(verify:a|all)" changed/),
  ]);
});

test('what wireit runs for a gate is a definition', async () => {
  const manifest = (command: string): Files => ({
    'package.json': json({
      scripts: { verify: 'wireit' },
      wireit: { verify: { command, files: ['src/**'] } },
    }),
  });
  const given = { before: manifest('node ci/a.js'), command: ['npm', 'run', 'verify'] };
  expect(await flags(given, manifest('true'))).toHaveLength(1);
});

test.each([
  ['the subject of a linter', ['npx', 'eslint', 'src/', 'scripts'], {}, honest],
  ['the subject of a runner of tests', ['node', '--test', 'test/'], {}, honest],
  [
    'the subject of a script',
    ['npm', 'test'],
    scripts({ test: 'vitest run src && tsc -p src', lint: 'eslint src/ scripts/' }),
    honest,
  ],
  [
    'what a test in shell asserts',
    ['sh', 'tests/run.sh'],
    { 'tests/run.sh': asserts },
    { 'tests/run.sh': `${asserts}[ "$(half 2)" = 1 ] || exit 1\n`, ...honest },
  ],
  [
    'one more test in a runner',
    ['sh', 'tests/run.sh'],
    { 'tests/run.sh': 'set -e\nsh tests/a.sh\n' },
    { 'tests/run.sh': 'set -e\nsh tests/a.sh\nsh tests/b.sh\n', 'tests/b.sh': asserts },
  ],
  [
    'the product of a program in another folder',
    ['node', 'ci/run.js'],
    { 'ci/run.js': "import { half } from '../src/index.js';\n" },
    honest,
  ],
  [
    'a package that is installed by npm ci',
    ['sh', '-c', 'npm ci && npm test'],
    { 'ci/notes.txt': 'a\n' },
    { 'ci/notes.txt': 'b\n', ...honest },
  ],
])('honest work is not flagged: %s', async (_, command, before, after) => {
  expect(await flags({ before, command }, after)).toEqual([]);
});
