import { expect, test } from 'vitest';
import { definesGates, gateLines } from './gate-files.ts';

const settings = [
  ...[
    '.mypy.ini',
    'mypy.ini',
    'pylintrc',
    '.pylintrc',
    'pylintrc.toml',
    'ty.toml',
    'pytest.toml',
    '.pytest.toml',
  ],
  ...['spec/support/jasmine.json', 'spec/support/jasmine.mjs', 'cucumber.js', 'web-test-runner.config.mjs'],
  ...['gulpfile.js', 'gulpfile.babel.js', 'Gruntfile.js', 'tslint.json', '.jshintrc', 'node.config.json'],
  ...[
    '.golangci.toml',
    '.golangci.yml',
    'phpunit.dist.xml',
    'phpunit.xml.dist',
    'phpstan.dist.neon',
    'psalm.xml',
  ],
  ...['analysis_options.yaml', 'tasks.py', 'build.xml', '.yamllint', '.yamllint.yml', '.editorconfig'],
  ...[
    '.markdownlint.json',
    '.markdownlint-cli2.jsonc',
    'web/.editorconfig',
    'web/cucumber.yml',
    '.drone.yml',
  ],
];
const others = [
  ...[
    'src/cucumber.ts.md',
    'app/tasks.py',
    'src/gulp.js',
    'docs/editorconfig.md',
    'src/imports.js',
    'src/type.toml',
  ],
  ...[
    'src/analysis.yaml',
    'src/jasmine-tea.json',
    'src/build.ts',
    'data/build.xml.txt',
    'src/markdownlint.js',
  ],
];

test.each(settings)('%s holds settings of a gate', (path) => {
  expect(definesGates(path)).toBe(true);
});

test.each(others)('%s does not', (path) => {
  expect(definesGates(path)).toBe(false);
});

function changed(path: string, before: string, after: string): number {
  const lines = (text: string) => text.split('\n').map((line, at) => ({ at: at + 1, text: line }));
  const [old, now] = [lines(before), lines(after)];
  const only = (some: typeof old, rest: typeof old) =>
    some.filter(({ text }) => !rest.some((line) => line.text === text));
  return gateLines({ path, before: old, after: now, removed: only(old, now), added: only(now, old) }).length;
}

test.each([
  'tool.basedpyright',
  'tool.bandit',
  'tool.ty.rules',
  'project.entry-points.pytest11',
  'project.entry-points."pytest11"',
])('a table [%s] of pyproject.toml holds settings of a gate', (table) => {
  expect(changed('pyproject.toml', `[${table}]\na = 1\n`, `[${table}]\na = 2\n`)).toBeGreaterThan(0);
});

test.each([
  'project',
  'project.scripts',
  'project.entry-points."calc.plugins"',
  'tool.typing-notes',
  'dependency-groups',
])('a table [%s] of pyproject.toml does not', (table) => {
  expect(changed('pyproject.toml', `[${table}]\na = 1\n`, `[${table}]\na = 2\n`)).toBe(0);
});

test('a plugin of pytest is a setting of a gate in an inline table and in setup.cfg as well', () => {
  expect(
    changed('pyproject.toml', '[project]\n', '[project]\nentry-points = { pytest11 = { a = "b" } }\n'),
  ).toBe(1);
  expect(
    changed('setup.cfg', '[options.entry_points]\n', '[options.entry_points]\npytest11 =\n  a = b\n'),
  ).toBe(1);
});
