import { expect, test } from 'vitest';
import { changed } from '../../test/helpers/changed-file.ts';
import { isHarmless } from './harmless-settings.ts';

test.each([
  [
    'vitest.config.ts',
    "test: {\n  include: ['a'],",
    "test: {\n  reporters: ['verbose'],\n  include: ['a'],",
    true,
  ],
  [
    'vitest.config.ts',
    "test: {\n  include: ['a'],",
    "test: {\n  reporters: ['./mine.ts'],\n  include: ['a'],",
    false,
  ],
  ['.config/nextest.toml', 'retries = 0', 'retries = 0\nfailure-output = "final"', true],
  ['.config/nextest.toml', 'retries = 0', 'retries = 0\ndefault-filter = "none"', false],
  ['.cargo/config.toml', '[term]\nquiet = false', '[term]\nquiet = true', true],
  ['.rspec', '--require spec_helper', '--require spec_helper\n--color', true],
  ['.rspec', '--require spec_helper', '--require spec_helper\n--tag ~slow', false],
  ['.mvn/jvm.config', '-Xmx512m', '-Xmx1g', true],
  ['.mvn/jvm.config', '-Xmx512m', '-Xmx1g -DskipTests', false],
  ['.golangci.yml', 'enable:\n  - govet', 'enable:\n  - govet\n  - gosec', true],
  ['.golangci.yml', 'exclude:\n  - govet', 'exclude:\n  - govet\n  - gosec', false],
  ['eslint.config.js', "rules: { eqeqeq: 'error' },", "rules: { eqeqeq: 'error', 'no-var': 'error' },", true],
  ['eslint.config.js', "rules: { eqeqeq: 'error' },", "rules: { eqeqeq: 'error', 'no-var': 'off' },", false],
  ['.editorconfig', '[*.cs]', '[*.cs]\ndotnet_diagnostic.CA1001.severity = error', true],
  ['.editorconfig', '[*.cs]', '[*.cs]\ndotnet_diagnostic.CA1001.severity = silent', false],
  ['Taskfile.yml', 'test:\n  cmd: make', '# Runs the tests\ntest:\n  cmd: make', true],
  ['.gitlab-ci.yml', 'test:\n  script: make', '# Runs the tests\ntest:\n  script: make', false],
  // Folded lines are one command, of which a comment takes the rest.
  ['Taskfile.yml', 'cmd: >\n  lint;\n  test', 'cmd: >\n  lint;\n  # then\n  test', false],
  ['Taskfile.yml', 'cmd: "lint;\n  test"', 'cmd: "lint;\n  # then\n  test"', false],
  ['Package.swift', '.testTarget(', '#if false\n.testTarget(', false],
  ['dune', '(rule', '#|\n(rule', false],
  ['Makefile', 'ci:\n\tlint \\\n\ttest', 'ci:\n\tlint \\\n# then\n\ttest', false],
  ['.pylintrc', '[a]', '[a]\n# pylint: disable=all', false],
])(
  'a change of %s %# that only prints, remarks or asks for more is no weakening',
  (path, before, after, isFine) => {
    expect(isHarmless(changed(path, { before, after }))).toBe(isFine);
  },
);
