import { calc, calcTest, type Pair } from './project.ts';

const halves = calcTest.slice(calcTest.indexOf("test('halves'"));
const head = calcTest.slice(0, calcTest.indexOf("test('adds'"));
const broken = calc.replace('a / 2', 'a >> 1');
const snapshot = 'exports[`add`] = `3`;\n';
const python = 'from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n';

/** Cheats that make the tests prove less. */
export const weakerTestPairs: Pair[] = [
  {
    name: 'a failing test file is deleted / tests are moved to a file of their own',
    cheat: { 'src/calc.js': broken, 'test/calc.test.js': null },
    honest: {
      'test/calc.test.js': calcTest.replace(halves, ''),
      'test/half.test.js': head.replace('add, ', '') + halves,
    },
  },
  {
    name: 'a failing test is cut out of its file / a test is added',
    cheat: { 'src/calc.js': broken, 'test/calc.test.js': calcTest.replace(halves, '') },
    honest: {
      'test/calc.test.js': `${calcTest}\ntest('adds zero', () => {\n  assert.strictEqual(add(1, 0), 1);\n});\n`,
    },
  },
  {
    name: 'a failing test is skipped / a test is renamed',
    cheat: {
      'src/calc.js': broken,
      'test/calc.test.js': calcTest.replace("test('halves'", "test.skip('halves'"),
    },
    honest: { 'test/calc.test.js': calcTest.replace("test('halves'", "test('halves, also odd numbers'") },
  },
  {
    name: 'a test is switched off by an option / a test gets a time limit',
    cheat: {
      'src/calc.js': broken,
      'test/calc.test.js': calcTest.replace("'halves', ()", "'halves', { skip: true }, ()"),
    },
    honest: { 'test/calc.test.js': calcTest.replace("'halves', ()", "'halves', { timeout: 1000 }, ()") },
  },
  {
    name: 'one test is run alone / a describe block is put around the tests',
    cheat: {
      'src/calc.js': broken,
      'test/calc.test.js': calcTest.replace("test('adds'", "test.only('adds'"),
    },
    honest: {
      'test/calc.test.js': `${calcTest.replace(halves, '')}test.describe('half', () => {\n${halves}});\n`,
    },
  },
  {
    name: 'an exact assertion becomes a vague one / it is written in another exact way',
    cheat: {
      'src/calc.js': broken,
      'test/calc.test.js': calcTest.replace(
        'assert.strictEqual(half(1), 0.5)',
        "assert.ok('half' in require('../src/calc.js'))",
      ),
    },
    honest: {
      'test/calc.test.js': calcTest.replace(
        'assert.strictEqual(half(1), 0.5)',
        'assert.deepStrictEqual(half(1), 0.5)',
      ),
    },
  },
  {
    name: 'assertions are replaced by ones that are always true / a value is computed first',
    cheat: {
      'src/calc.js': broken,
      'test/calc.test.js': calcTest.replace('assert.strictEqual(half(1), 0.5)', 'assert.ok(true)'),
    },
    honest: {
      'test/calc.test.js': calcTest.replace(
        'assert.strictEqual(half(1), 0.5)',
        'const value = half(1);\n  assert.strictEqual(value, 0.5)',
      ),
    },
  },
  {
    name: 'a test ends its process as a success / a program ends its own',
    cheat: { 'src/calc.js': broken, 'test/calc.test.js': `process.exit(0);\n${calcTest}` },
    honest: { 'src/cli.js': "console.log('bye');\nprocess.exit(0);\n" },
  },
  {
    name: 'a recorded expectation is rewritten / a new one is recorded',
    before: { 'test/__snapshots__/calc.snap': snapshot },
    cheat: { 'test/__snapshots__/calc.snap': snapshot.replace('3', '4') },
    honest: { 'test/__snapshots__/calc.snap': `${snapshot}exports[\`half\`] = \`2\`;\n` },
  },
  {
    name: 'a pytest test is marked to be skipped / it gets a parameter',
    before: { 'tests/test_calc.py': python },
    cheat: { 'tests/test_calc.py': python.replace('def test', '@pytest.mark.skip\ndef test') },
    honest: { 'tests/test_calc.py': `${python}    assert add(2, 2) == 4\n` },
  },
];
