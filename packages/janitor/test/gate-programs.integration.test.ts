import { expect, test } from 'vitest';
import { tamperFlags } from '../src/index.ts';
import type { Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';
import { changeOf } from './helpers/verifying.ts';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const scripts = (some: Record<string, string>): Files => ({ 'package.json': json({ scripts: some }) });
const asserts = '#!/bin/sh\n. ./calc.sh\n[ "$(half 4)" = 2 ] || exit 1\n';

/** What else lies in each repository: a product, its tests and tools that no gate runs. */
const product: Files = {
  'src/index.js': 'exports.half = (a) => a / 2;\n',
  'src/check.js': 'exports.check = 1;\n',
  'calc.sh': 'half() { echo 2; }\n',
  'scripts/docs.js': "console.log('docs');\n",
  'docs/check.md': '# check\n',
  'test/calc.test.js': "test('halves', () => {\n  expect(half(4)).toBe(2);\n});\n",
};
const honest: Files = {
  'src/index.js': 'exports.half = (a) => a * 0.5;\n',
  'src/check.js': 'exports.check = 2;\n',
  'calc.sh': 'half() { echo $(($1 / 2)); }\n',
  'scripts/docs.js': "console.log('more');\n",
  'docs/check.md': '# checks\n',
  'test/calc.test.js':
    "test('halves', () => {\n  expect(half(4)).toBe(2);\n  expect(half(2)).toBe(1);\n});\n",
};

async function flags(
  { before, command }: { before: Files; command: readonly string[] },
  after: Files,
): Promise<string[]> {
  const change = await changeOf({ ...product, ...before }, after);
  const gates = [{ name: 'g', command: [...command], required: true, timeout: 60_000 }];
  const options = { git, clone: change.root, from: change.base, to: change.head, gates };
  return (await tamperFlags(options)).map(({ text }) => text);
}

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

test.each(direct)('an edit of what a gate runs is flagged: %s', async (_, command, program, text) => {
  const given = { before: { [program]: text }, command };
  const place = `gate definition: ${program}:1, which a gate runs,`;
  expect(await flags(given, { [program]: 'true\n', ...honest })).toEqual([`${place} modified`]);
  expect(await flags(given, { [program]: null, ...honest })).toContainEqual(`${place} deleted`);
});

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

test.each(steps)('an edit one step behind a gate is flagged: %s', async (_, command, before, program) => {
  const given = { before: { ...before, [program]: 'one\n' }, command };
  expect(await flags(given, { [program]: 'two\n', ...honest })).toEqual([
    `gate definition: ${program}:1, which a gate runs, modified`,
  ]);
});

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

const small: Files = {
  'calc.js': 'exports.half = (a) => a / 2;\n',
  'calc.py': 'def half(a):\n    return a / 2\n',
  'hello.sh': 'echo hello\n',
  'notes.txt': 'one\n',
};
const better: Files = {
  'calc.js': 'exports.half = (a) => a * 0.5;\n',
  'calc.py': 'def half(a):\n    return a * 0.5\n',
  'hello.sh': 'echo hello you\n',
  'notes.txt': 'two\n',
};

test.each<[line: string, command: string[]]>([
  ['a file that has to exist', ['test', '-f', 'notes.txt']],
  ['a text that has to be in a file', ['grep', '-q', 'one', 'notes.txt']],
  ['a count', ['sh', '-c', '[ "$(wc -l < notes.txt)" -ge 1 ]']],
  ['what is read in a shell', ['sh', '-c', 'test "$(cat notes.txt)" = two']],
  ['a file of a linter', ['npx', 'eslint', 'calc.js']],
  ['a file of a linter of Python', ['python3', '-m', 'ruff', 'check', 'calc.py']],
  ['a file whose syntax is checked', ['node', '--check', 'calc.js']],
  ['a file whose syntax Python checks', ['python3', '-m', 'py_compile', 'calc.py']],
  ['a script whose syntax is checked', ['bash', '-n', 'hello.sh']],
  ['what code in a command loads', ['node', '-e', "if (require('./calc.js').half(4) !== 2) process.exit(1)"]],
  ['what code without endings loads', ['node', '-e', "require('./calc').half(4) === 2 || process.exit(1)"]],
  ['what code of Python loads', ['python3', '-c', 'import calc; assert calc.half(4) == 2']],
  ['the same in a shell', ['sh', '-c', 'python3 -c "from calc import half; assert half(4) == 2" && echo ok']],
  ['a program whose output is looked at', ['sh', '-c', 'sh hello.sh | grep -q hello']],
  ['a program whose output is compared', ['bash', '-c', '[[ "$(./hello.sh)" == hello* ]]']],
  ['a program whose lines are compared', ['bash', '-c', 'diff <(bash hello.sh) <(echo hello)']],
])('what a gate looks at may be worked on: %s', async (_, command) => {
  expect(await flags({ before: small, command }, better)).toEqual([]);
});

test('what the scripts of a package look at may be worked on', async () => {
  const before = {
    ...small,
    ...scripts({ test: `node -e "require('./calc.js')" && grep -q one notes.txt` }),
  };
  expect(await flags({ before, command: ['npm', 'test'] }, better)).toEqual([]);
});

test.each<[line: string, command: string[], program: string]>([
  ['what a shell is piped', ['sh', '-c', 'cat notes.txt | sh'], 'notes.txt'],
  ['what a shell evaluates', ['sh', '-c', 'eval "$(cat notes.txt)"'], 'notes.txt'],
  ['what a shell is handed', ['sh', '-c', 'bash -c "$(cat notes.txt)"'], 'notes.txt'],
  ['what a shell reads as a file', ['bash', '-c', 'bash <(cat notes.txt)'], 'notes.txt'],
  ['what a shell is given as its input', ['sh', '-c', 'sh < notes.txt'], 'notes.txt'],
  ['patterns of a search', ['grep', '-f', 'notes.txt', 'calc.js'], 'notes.txt'],
  ['settings of a linter', ['npx', 'eslint', '-c', 'notes.txt', 'calc.js'], 'notes.txt'],
  ['the program whose exit decides', ['sh', 'hello.sh'], 'hello.sh'],
  ['the same in a chain', ['sh', '-c', 'test -f calc.js && sh hello.sh'], 'hello.sh'],
  ['one whose output is only kept', ['sh', '-c', 'sh hello.sh | tee out.txt'], 'hello.sh'],
  ['one that another starts', ['find', '.', '-name', 'x', '-exec', 'sh', 'hello.sh', ';'], 'hello.sh'],
  ['a check whose output is looked at', ['sh', '-c', 'sh ci/check.sh | grep -q ok'], 'ci/check.sh'],
  ['a check that code loads', ['node', '-e', "require('./verify.js').all()"], 'verify.js'],
])('what decides a gate is flagged beside what it looks at: %s', async (_, command, program) => {
  const before = { ...small, 'ci/check.sh': 'echo ok\n', 'verify.js': 'exports.all = () => {};\n' };
  const after = { ...better, 'ci/check.sh': 'echo "ok"\n', 'verify.js': 'exports.all = 1;\n' };
  expect(await flags({ before, command }, after)).toEqual([
    `gate definition: ${program}:1, which a gate runs, modified`,
  ]);
});

const run = (text: string): Files => ({ 'boot.js': text, 'strictness.py': text, 'web/run_asserts': text });

test.each<[line: string, command: string[], before: Files, program: string]>([
  [
    'what a runner sets up',
    ['npx', 'jest'],
    { 'jest.config.js': "module.exports = { setupFiles: ['<rootDir>/boot.js'] };\n" },
    'boot.js',
  ],
  [
    'the same in a manifest',
    ['npx', 'jest'],
    { 'package.json': json({ jest: { globalSetup: './boot' } }) },
    'boot.js',
  ],
  [
    'a plug-in of settings',
    ['pytest'],
    { 'pytest.ini': '[pytest]\naddopts = -p strictness\n' },
    'strictness.py',
  ],
  ['all names of a module', ['pytest'], { 'conftest.py': 'from strictness import *\n' }, 'strictness.py'],
  [
    'a recipe in another folder',
    ['make', '-C', 'web', 'all'],
    { 'web/Makefile': 'all:\n\t@./run_asserts\n' },
    'web/run_asserts',
  ],
  ['what a recipe includes', ['make'], { Makefile: '-include boot.js\n' }, 'boot.js'],
  ['files by a pattern', ['sh', '-c', 'for f in web/*; do sh "$f" || exit 1; done'], {}, 'web/run_asserts'],
  ['where a link leads', ['./run'], { run: { link: 'boot.js' } }, 'boot.js'],
])('what gates load is followed: %s', async (_, command, before, program) => {
  const text = { [program]: run('1\n')[program] ?? '' };
  expect(await flags({ before: { ...before, ...text }, command }, run('2\n'))).toEqual([
    `gate definition: ${program}:1, which a gate runs, modified`,
  ]);
});

test.each<[line: string, command: string[], before: Files, after: Files]>([
  [
    'scripts that no gate runs',
    ['sh', '-c', 'pytest && grep -q build README.md'],
    { ...small, ...scripts({ build: 'node calc.js', test: 'node calc.js' }) },
    better,
  ],
  [
    'settings that name what is judged',
    ['npx', 'tsc'],
    { ...small, 'tsconfig.json': '{ "include": ["./calc.js"], "files": ["./calc.js"] }\n' },
    better,
  ],
  [
    'a name that only holds a word',
    ['node', '-e', "require('./latest')"],
    { 'latest.js': '1\n' },
    { 'latest.js': '2\n' },
  ],
  [
    'one more assertion in shell',
    ['sh', 'test.sh'],
    { 'test.sh': asserts },
    { 'test.sh': `${asserts}[ "$(half 2)" = 1 ] || exit 1\n` },
  ],
  [
    'one more run of the program that is tested',
    ['python3', 'test_cli.py'],
    { 'test_cli.py': "import subprocess\nassert subprocess.check_output(['./cli']) == b'a'\n" },
    {
      'test_cli.py':
        "import subprocess\nassert subprocess.check_output(['./cli']) == b'a'\nassert subprocess.check_output(['./cli', 'b']) == b'b'\n",
    },
  ],
])('what decides no gate may be worked on: %s', async (_, command, before, after) => {
  expect(await flags({ before, command }, after)).toEqual([]);
});

test.each(['.venv/bin/pytest', '.yarn/releases/yarn-4.cjs', '.mvn/maven.config', 'Makefile.toml', '.envrc'])(
  'a tool that is put in place is flagged: %s',
  async (path) => {
    expect(await flags({ before: {}, command: ['pytest'] }, { [path]: 'exit 0\n' })).toEqual([
      expect.stringMatching(/^gate definition: /),
    ]);
  },
);
