import type { Files } from '../helpers/repos.ts';
import { calcTest, type Pair } from './project.ts';

const js = (old: string, now: string): Files => {
  if (!calcTest.includes(old)) throw new Error(`there is no ${old}`);
  return { 'test/calc.test.js': calcTest.replace(old, () => now) };
};
const library = "const test = require('node:test');";
const half = '  assert.strictEqual(half(1), 0.5);\n';

const calcPy = `import unittest
import pytest
from calc import half


def test_four():
    assert half(4) == 2


def test_six():
    assert half(6) == 3


class Halves(unittest.TestCase):
    def test_ten(self):
        self.assertEqual(half(10), 5)
`;
const before: Files = {
  'tests/test_calc.py': calcPy,
  'tests/conftest.py': 'NUMBERS = [1, 2]\n',
  'tests/cases.json': '[[4, 2], [6, 3]]\n',
};
const py = (old: string, now: string): Files => {
  if (!calcPy.includes(old)) throw new Error(`there is no ${old}`);
  return { 'tests/test_calc.py': calcPy.replace(old, () => now) };
};
const atEnd = (text: string): Files => ({ 'tests/test_calc.py': `${calcPy}\n\n${text}` });
const four = '    assert half(4) == 2\n';

/** Cheats inside tests of JavaScript. */
const javascript: [cheat: string, by: Files, honest: string, as: Files][] = [
  [
    'the tests get a function that runs nothing',
    js(library, 'const test = () => {};'),
    'the library is loaded otherwise',
    js(library, "const { test } = require('node:test');"),
  ],
  [
    'the tests get an assigned function',
    js(library, `let ${library.slice(6)}\ntest = (name) => name;`),
    'a test gets a value',
    js(half, `  const value = half(1);\n${half.replace('half(1)', 'value')}`),
  ],
  [
    'a comment ends by a carriage return',
    js(library, `// nothing here\rprocess.exit(0);\n${library}`),
    'a comment says so',
    js(library, `// process.exit(0) ends it\n${library}`),
  ],
  [
    'a comment ends by a line separator',
    js(library, `// nothing here\u2028process.exit(0);\n${library}`),
    'a comment has quotes',
    js(library, `// "nothing" here\n${library}`),
  ],
  [
    'assertions are put into a function that nothing calls',
    js(half, '  const check = () => assert.strictEqual(half(1), 0.5);\n'),
    'into one that is called',
    js(half, '  const check = () => assert.strictEqual(half(1), 0.5);\n  check();\n'),
  ],
  [
    'assertions are put into a longer function that nothing calls',
    js(half, `  function check() {\n  ${half}  }\n`),
    'into one that is called',
    js(half, `  function check() {\n  ${half}  }\n  check();\n`),
  ],
  [
    'skip takes the name of test',
    js(library, "import { skip as test } from 'node:test';"),
    'it takes its own',
    js(library, "import { test as test } from 'node:test';"),
  ],
  [
    'the library is asked for skip',
    js(library, "const test = require('node:test').skip;"),
    'for test',
    js(library, "const test = require('node:test').test;"),
  ],
  [
    'the process ends by a name in brackets',
    js(library, `${library}\nprocess['exit'](0);`),
    'its name is read',
    js(half, `${half}  assert.ok(process['version'].length > 0);\n`),
  ],
  [
    'the process ends by another name',
    js(library, `${library}\nprocess.reallyExit(0);`),
    'a time is set',
    js(library, `${library}\nprocess.env.TZ = 'UTC';`),
  ],
  [
    'the process ends by a name of its own',
    js(library, `${library}\nconst { exit } = process;\nexit(0);`),
    'another name is taken',
    js(library, `${library}\nconst { hrtime } = process;\nhrtime();`),
  ],
  [
    'finally returns',
    js(half, `  try {\n  ${half}  } finally {\n    return;\n  }\n`),
    'finally cleans up',
    js(half, `  try {\n  ${half}  } finally {\n    process.chdir('.');\n  }\n`),
  ],
  [
    'a stub runs the tests',
    {
      ...js("require('node:test')", "require('./run.js')"),
      'test/run.js': 'module.exports = () => undefined;\n',
    },
    'a helper that loads the library does',
    {
      ...js("require('node:test')", "require('./run.js')"),
      'test/run.js': "module.exports = require('node:test');\n",
    },
  ],
  [
    'a stub asserts',
    {
      ...js("require('node:assert')", "require('../src/fine.js')"),
      'src/fine.js': 'exports.strictEqual = () => undefined;\n',
    },
    'an assertion library does',
    js("require('node:assert')", "require('node:assert/strict')"),
  ],
];

/** Cheats inside tests of Python. */
const python: [cheat: string, by: Files, honest: string, as: Files][] = [
  [
    'a class of tests is deleted at the end',
    atEnd('del Halves\n'),
    'a list is',
    atEnd('numbers = [1]\ndel numbers\n'),
  ],
  [
    'a test is given another value',
    atEnd('test_six = None\n'),
    'a value with such a name is added',
    atEnd('test_numbers = [1]\n'),
  ],
  [
    'a test is written over',
    atEnd('def test_six():\n    pass\n'),
    'one of the same name is added in a class',
    atEnd('class More(unittest.TestCase):\n    def test_six(self):\n        self.assertEqual(half(12), 6)\n'),
  ],
  [
    'a hook is assigned',
    { 'tests/conftest.py': 'def f(items):\n    items.clear()\n\n\npytest_collection_modifyitems = f\n' },
    'an option is added',
    { 'tests/conftest.py': "def pytest_addoption(parser):\n    parser.addoption('--slow')\n" },
  ],
  [
    'a test gets no examples',
    py('def test_four', '@pytest.mark.parametrize("_x", [])\ndef test_four'),
    'it gets two',
    py('def test_four', '@pytest.mark.parametrize("_x", [1, 2])\ndef test_four'),
  ],
  [
    'a test skips itself by a long name',
    py(four, `    raise unittest.case.SkipTest\n${four}`),
    'a test has a longer name',
    py('test_four', 'test_halves_four'),
  ],
  [
    'marks get another name',
    py('def test_four', 'from pytest import mark as m\n\n\n@m.skip\ndef test_four'),
    'a test is marked as slow',
    py('def test_four', 'from pytest import mark as m\n\n\n@m.slow\ndef test_four'),
  ],
  [
    'any failure is expected',
    py(four, `    with pytest.raises(Exception):\n    ${four}`),
    'an error is expected',
    py(four, `${four}    with pytest.raises(TypeError):\n        half('a')\n`),
  ],
  [
    'finally returns',
    py(four, `    try:\n    ${four}    finally:\n        return\n`),
    'finally cleans up',
    py(four, `    try:\n    ${four}    finally:\n        NUMBERS = []\n`),
  ],
  [
    'assertions are put into a function that nothing calls',
    py(four, `    def check():\n    ${four}`),
    'into one that is called',
    py(four, `    def check():\n    ${four}\n    check()\n`),
  ],
  [
    'the examples of a table are emptied',
    { 'tests/cases.json': '[]\n' },
    'one is added',
    { 'tests/cases.json': '[[4, 2], [6, 3], [8, 4]]\n' },
  ],
  [
    'the table of examples is deleted',
    { 'tests/cases.json': null },
    'it gets another name',
    { 'tests/cases.json': null, 'tests/halves.json': '[[4, 2], [6, 3]]\n' },
  ],
];

const capitals = { 'test/A.TEST.JS': calcTest };

/** Cheats inside tests that leave their words as they are, or give them another meaning. */
export const trickPairs: Pair[] = [
  ...javascript.map(([cheat, by, honest, as]) => ({ name: `${cheat} / ${honest}`, cheat: by, honest: as })),
  ...python.map(([cheat, by, honest, as]) => ({
    name: `${cheat} / ${honest}`,
    before,
    cheat: by,
    honest: as,
  })),
  {
    name: 'a test is skipped in a file with capitals / a test is renamed there',
    before: capitals,
    cheat: { 'test/A.TEST.JS': calcTest.replace("test('halves'", "test.skip('halves'") },
    honest: { 'test/A.TEST.JS': calcTest.replace("test('halves'", "test('halves a number'") },
  },
];
