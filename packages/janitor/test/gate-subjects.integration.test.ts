import { expect, test } from 'vitest';
import { flags, json, scripts } from './helpers/gate-changes.ts';
import type { Files } from './helpers/repos.ts';

const asserts = '#!/bin/sh\n. ./calc.sh\n[ "$(half 4)" = 2 ] || exit 1\n';

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
