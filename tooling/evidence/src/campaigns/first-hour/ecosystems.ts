import { everybodysSteps, json, type Ground, type Repository } from './repository.ts';

const nodeTest = {
  'src/add.js': 'export const add = (a, b) => a + b;\n',
  'test/add.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from '../src/add.js';

test('adds', () => assert.equal(add(1, 2), 3));
`,
};

/** A tool in a folder beside the package, so that nothing has to be fetched: what a package of the registry is to others. */
const localTool = {
  'tools/check/package.json': json({ name: 'check', version: '1.0.0', bin: { check: './check.js' } }),
  'tools/check/check.js': {
    exec: `#!/usr/bin/env node
const { existsSync } = require('node:fs');
if (!existsSync('src/add.js')) throw new Error('src/add.js is gone');
console.log('checked');
`,
  },
};

const withTool = (more: object = {}) => ({
  ...nodeTest,
  ...localTool,
  '.gitignore': 'node_modules\n.yarn\n.pnp.*\n',
  'package.json': json({
    name: 'with-tool',
    version: '1.0.0',
    type: 'module',
    scripts: { test: 'check && node --test' },
    devDependencies: { check: 'file:./tools/check' },
    ...more,
  }),
});

const npmInstall = ({ run }: Ground) => run('npm', 'install', '--offline', '--no-audit', '--no-fund');

const makefile = {
  Makefile: 'test: sum\n\t./sum 1 2 | grep -qx 3\n\nsum: sum.c\n\tcc -o sum sum.c\n\n.PHONY: test\n',
  'sum.c': `#include <stdio.h>
#include <stdlib.h>
int main(int n, char **v) { printf("%d\\n", n > 2 ? atoi(v[1]) + atoi(v[2]) : 0); return 0; }
`,
  '.gitignore': 'sum\n',
};

/** Breaks what another package of the workspace relies on: its test must see it. */
const breakingPlan = json({
  name: 'break',
  agents: {
    breaker: {
      command: [
        'node',
        '-e',
        "require('node:fs').writeFileSync('packages/a/index.js','exports.one = 2;\\n')",
      ],
    },
  },
  stages: [
    {
      name: 'all',
      steps: [
        { key: 'break', title: 'Break package a', agent: 'breaker', max_retries: 0, files: ['packages'] },
      ],
    },
  ],
});

/** One of each language and package manager, the commonest first. What they need is local: no step asks a registry. */
export const ecosystems: readonly Repository[] = [
  {
    name: 'npm, a dev dependency',
    needs: ['npm'],
    files: withTool(),
    before: npmInstall,
    gates: ['tests'],
  },
  {
    name: 'npm, no dependency',
    needs: ['npm'],
    files: {
      ...nodeTest,
      'package.json': json({
        name: 'plain',
        version: '1.0.0',
        type: 'module',
        scripts: { test: 'node --test' },
      }),
    },
    gates: ['tests'],
  },
  {
    name: 'npm workspaces',
    needs: ['npm'],
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': json({
        name: 'many',
        private: true,
        workspaces: ['packages/*'],
        scripts: { test: 'npm test --workspaces' },
      }),
      'packages/a/package.json': json({ name: 'a', version: '1.0.0', scripts: { test: 'node -e 0' } }),
      'packages/a/index.js': 'exports.one = 1;\n',
      'packages/b/package.json': json({
        name: 'b',
        version: '1.0.0',
        dependencies: { a: '1.0.0' },
        scripts: { test: 'node test.js' },
      }),
      'packages/b/test.js': "if (require('a').one !== 1) throw new Error('a is broken');\n",
    },
    before: npmInstall,
    gates: ['tests'],
    steps: [
      ...everybodysSteps,
      { type: ['run', 'break.yaml'], edits: { 'break.yaml': breakingPlan }, exit: 1 },
    ],
  },
  {
    name: 'pnpm',
    needs: ['pnpm'],
    files: withTool(),
    before: ({ run }) => run('pnpm', 'install', '--offline'),
    gates: ['tests'],
  },
  {
    name: 'yarn',
    needs: ['yarn'],
    files: withTool(),
    before: ({ run }) => run('yarn', 'install'),
    gates: ['tests'],
  },
  {
    name: 'bun',
    needs: ['bun'],
    files: withTool(),
    before: ({ run }) => run('bun', 'install'),
    gates: ['tests'],
  },
  {
    name: 'Python, unittest',
    needs: ['python3'],
    files: {
      'add.py': 'def add(a, b):\n    return a + b\n',
      'tests/__init__.py': '',
      'tests/test_add.py': `import unittest
from add import add


class AddTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
`,
      'pyproject.toml': '[project]\nname = "plain"\nversion = "1.0.0"\n',
      '.gitignore': '__pycache__\n',
    },
    gates: ['tests'],
  },
  {
    name: 'Python, pytest in .venv',
    needs: ['python3', 'pytest'],
    files: {
      'plain/__init__.py': 'def add(a, b):\n    return a + b\n',
      'tests/test_add.py':
        'import helper\nfrom plain import add\n\n\ndef test_adds():\n    assert add(1, 2) == helper.three\n',
      'pyproject.toml':
        '[project]\nname = "plain"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
      'requirements.txt': 'pytest\n',
      '.gitignore': '__pycache__\n.venv\n.pytest_cache\n',
    },
    // A virtual environment with one module that only it has, and the pytest of the machine.
    before: async ({ run }) => {
      await run('python3', '-m', 'venv', '--system-site-packages', '--without-pip', '.venv');
      await run('sh', '-c', 'printf "three = 3\\n" >"$(echo .venv/lib/python3*/site-packages)/helper.py"');
      await run(
        'sh',
        '-c',
        'printf "#!/bin/sh\\nexec \\"\\$(dirname \\"\\$0\\")/python3\\" -m pytest \\"\\$@\\"\\n" >.venv/bin/pytest && chmod +x .venv/bin/pytest',
      );
    },
    gates: ['tests'],
  },
  {
    name: 'CMake',
    needs: ['cmake', 'ctest', 'cc'],
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.10)\nproject(sum C)\nenable_testing()\nadd_executable(sum sum.c)\nadd_test(NAME adds COMMAND sum 1 2)\nset_tests_properties(adds PROPERTIES PASS_REGULAR_EXPRESSION "^3")\n',
      'sum.c': makefile['sum.c'],
      '.gitignore': 'build\nbuild-gate\n',
    },
    gates: ['tests'],
  },
  {
    name: 'TypeScript, tests of what the build makes',
    needs: ['npm'],
    files: {
      'package.json': json({
        name: 'built',
        version: '1.0.0',
        scripts: { build: 'node build.js', test: 'node --test "dist/*.test.js"' },
      }),
      'build.js': "require('node:fs').cpSync('src', 'dist', { recursive: true });\n",
      'src/a.test.js': "require('node:test').test('is built', () => undefined);\n",
      '.gitignore': 'dist\n*.tsbuildinfo\n',
    },
    before: ({ run }) => run('npm', 'run', 'build'),
    gates: ['tests (npm run build && npm test)'],
  },
  {
    name: 'JavaScript and Python below the top',
    needs: ['npm', 'python3'],
    files: {
      '.gitignore': 'node_modules\n.venv\n__pycache__\n',
      'web app/package.json': json({
        name: 'web',
        version: '1.0.0',
        devDependencies: { check: '1.0.0' },
        scripts: { test: 'check' },
      }),
      'api/setup.py': 'from setuptools import setup\nsetup(name="api")\n',
      'api/tests/__init__.py': '',
      'api/tests/test_a.py':
        'import unittest\n\n\nclass ATest(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(True)\n',
    },
    // What is installed in the folder of a part, without a registry.
    before: ({ write }) =>
      write({ 'web app/node_modules/.bin/check': { exec: '#!/bin/sh\ntest -f package.json\n' } }),
    gates: ['tests-web-app', 'tests-api'],
  },
  { name: 'C, a Makefile', needs: ['make', 'cc'], files: makefile, gates: ['tests'] },
  {
    name: 'Go',
    needs: ['go'],
    files: {
      'go.mod': 'module example.invalid/plain\n\ngo 1.20\n',
      'add.go': 'package plain\n\nfunc Add(a, b int) int { return a + b }\n',
      'add_test.go':
        'package plain\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    gates: ['tests'],
  },
  {
    name: 'Rust',
    needs: ['cargo', 'rustc'],
    files: {
      'Cargo.toml': '[package]\nname = "plain"\nversion = "1.0.0"\nedition = "2021"\n',
      'src/lib.rs':
        'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n',
      '.gitignore': 'target\n',
    },
    before: ({ run }) => run('cargo', 'generate-lockfile', '--offline'),
    gates: ['tests'],
  },
  {
    name: 'Java, a Makefile',
    needs: ['make', 'javac', 'java'],
    files: {
      Makefile: 'test:\n\tjavac -d build src/*.java\n\tjava -cp build -ea AddTest\n\n.PHONY: test\n',
      'src/Add.java': 'class Add { static int add(int a, int b) { return a + b; } }\n',
      'src/AddTest.java':
        'class AddTest { public static void main(String[] a) { if (Add.add(1, 2) != 3) throw new Error(); } }\n',
      '.gitignore': 'build\n',
    },
    gates: ['tests'],
  },
];
