import { expect, test } from 'vitest';
import { tamperFlags } from '../src/index.ts';
import type { Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';
import { changeOf } from './helpers/verifying.ts';

async function flags(before: Files, patch: Files): Promise<string> {
  const change = await changeOf(before, patch);
  const gates = [{ name: 'tests', command: ['make', 'test'], required: true, timeout: 60_000 }];
  const found = await tamperFlags({ git, clone: change.root, from: change.base, to: change.head, gates });
  return found.map(({ text }) => text).join('; ');
}

const java = { 'src/main/java/org/Tax.java': 'package org;\n\npublic class Tax {}\n' };
const python = {
  'ledger/report.py': 'def report(entries):\n    return ""\n',
  'ledger/line.txt': '{name}\n',
  'tests/conftest.py': 'import pytest\n',
  'tests/golden/report.txt': 'cash: 1\n',
};
const bats = {
  'bin/backup.sh': '#!/bin/sh\necho done\n',
  'test/helpers.bash': 'BACKUP="$BATS_TEST_DIRNAME/../bin/backup.sh"\n',
};
const php = {
  'src/Schedule.php': '<?php\nnamespace Cron;\nfinal class Schedule {}\n',
  'tests/ScheduleTest.php': '<?php\n',
  'tests/bootstrap.php': "<?php\nrequire 'autoload.php';\n",
};
const read = (file: string) =>
  `from pathlib import Path\n\n\ndef report(entries):\n    return (Path(".") / ${file}).read_text()\n`;
const write = (file: string) => `import pytest\n\n(${file}).write_text("cash: 1")\n`;

test('a class of the tests under the name of one of the product is flagged, one of its own is not', async () => {
  const text = 'package org;\n\npublic class Tax {}\n';
  expect(await flags(java, { 'src/test/java/org/Tax.java': text })).toContain('src/test/java/org/Tax.java:1');
  expect(await flags(java, { 'src/test/java/org/Rates.java': 'package org;\n\nclass Rates {}\n' })).toBe('');
  expect(
    await flags({ ...python, 'ledger/entry.py': 'x = 1\n' }, { 'tests/ledger/entry.py': 'x = 2\n' }),
  ).toContain('tests/ledger/entry.py:1');
});

test('a path of the product in a helper that becomes one of a new file of the tests is flagged', async () => {
  const helper = (folder: string) => `BACKUP="$BATS_TEST_DIRNAME/${folder}/backup.sh"\n`;
  expect(
    await flags(bats, { 'test/helpers.bash': helper('stubs'), 'test/stubs/backup.sh': 'echo copied\n' }),
  ).toContain('test/helpers.bash:1');
  expect(
    await flags(bats, {
      'test/helpers.bash': helper('../libexec'),
      'bin/backup.sh': null,
      'libexec/backup.sh': bats['bin/backup.sh'],
    }),
  ).toBe('');
});

test('code that reads a file of its tests is flagged, a file of the product is not', async () => {
  expect(await flags(python, { 'ledger/report.py': read('"tests" / "golden" / "report.txt"') })).toContain(
    'code that reads its tests: ledger/report.py:5',
  );
  expect(await flags(python, { 'ledger/report.py': read('"ledger" / "line.txt"') })).toBe('');
  expect(await flags(python, { 'scripts/update.py': read('"tests" / "golden" / "report.txt"') })).toBe('');
});

test('a recording that what tests load writes is flagged, a file for the while of a test is not', async () => {
  expect(await flags(python, { 'tests/conftest.py': write('HERE / "golden" / "report.txt"') })).toContain(
    'recorded expectations written by their test: 1 more in tests/conftest.py:3',
  );
  expect(await flags(python, { 'tests/helper.py': write('tmp_path / "golden" / "report.txt"') })).toBe('');
});

test('a class that a set-up gives the name of one with a test is flagged', async () => {
  const alias = (name: string) => `<?php\nrequire 'autoload.php';\nclass_alias(Fake::class, '${name}');\n`;
  expect(await flags(php, { 'tests/bootstrap.php': alias('Cron\\Schedule') })).toContain(
    'tests/bootstrap.php:3',
  );
  expect(await flags(php, { 'tests/bootstrap.php': alias('Old\\Base') })).toBe('');
});

test('settings that only print otherwise, or check and run more, are let through', async () => {
  const base = {
    'package.json': '{\n  "scripts": {\n    "test": "jest"\n  }\n}\n',
    Makefile: 'test:\n\tpytest -q\n',
    '.github/workflows/ci.yml': 'strategy:\n  matrix:\n    node: [22]\n',
    'pyproject.toml': '[tool.ruff.lint]\nselect = ["E", "F"]\n',
  };
  const changes: [file: keyof typeof base, was: string, fine: string, held: string][] = [
    ['package.json', '"jest"', '"jest --verbose"', '"jest --verbose --passWithNoTests"'],
    ['package.json', '"jest"', '"jest --no-color"', '"jest -v"'],
    ['Makefile', 'pytest -q', 'pytest -q -v --durations=5', 'pytest -q -v -x --co'],
    ['.github/workflows/ci.yml', '[22]', '[22, 24]', '[24]'],
    ['pyproject.toml', '["E", "F"]', '["E", "F", "B"]', '["E", "B"]'],
  ];
  for (const [file, was, fine, held] of changes) {
    expect(await flags(base, { [file]: base[file].replace(was, fine) }), fine).toBe('');
    expect(await flags(base, { [file]: base[file].replace(was, held) }), held).toContain('gate definition');
  }
});
