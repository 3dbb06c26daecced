import { expect, it } from 'vitest';
import { readTestCount } from './test-count.ts';

const rows: readonly (readonly [runner: string, output: string, passed: number, skipped: number])[] = [
  ['vitest', ' Test Files  2 passed (2)\n      Tests  11 passed | 2 skipped | 1 todo (14)\n', 11, 3],
  [
    'vitest, in colours',
    '\u001b[2m      Tests \u001b[22m \u001b[32m11 passed\u001b[39m\u001b[90m (11)\u001b[39m\n',
    11,
    0,
  ],
  ['jest', 'Test Suites: 3 passed, 3 total\nTests:       1 skipped, 11 passed, 12 total\n', 11, 1],
  ['pytest', '=========== 11 passed, 1 skipped, 2 deselected in 0.12s ===========\n', 11, 3],
  ['pytest -q', '11 passed in 0.12s\n', 11, 0],
  ['mocha', '  12 passing (9ms)\n  2 pending\n', 12, 2],
  ['node:test', '# tests 5\n# pass 4\n# fail 0\n# skipped 1\n# todo 0\n', 4, 1],
  ['node:test, spec', 'ℹ tests 5\nℹ pass 4\nℹ skipped 1\nℹ todo 0\n', 4, 1],
  [
    'cargo, two crates',
    'test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n',
    7,
    1,
  ],
  [
    'Maven',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in A\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n',
    2,
    1,
  ],
  ['RSpec', '5 examples, 0 failures, 1 pending\n', 4, 1],
  ['minitest', '5 runs, 12 assertions, 0 failures, 0 errors, 1 skips\n', 4, 1],
  ['PHPUnit', 'OK (5 tests, 12 assertions)\n', 5, 0],
  [
    'PHPUnit with skipped ones',
    'OK, but some tests were skipped!\nTests: 5, Assertions: 9, Skipped: 2.\n',
    3,
    2,
  ],
  [
    '.NET, two projects',
    'Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6\nPassed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2\n',
    7,
    1,
  ],
  ['ExUnit', '2 doctests, 5 tests, 0 failures, 1 skipped\n', 6, 1],
  ['bats', '5 tests, 0 failures, 1 skipped\n', 4, 1],
  ['CTest', '100% tests passed, 0 tests failed out of 5\n', 5, 0],
  ['Deno', 'ok | 5 passed (2 steps) | 0 failed | 1 ignored (12ms)\n', 5, 1],
  ['Bun', ' 5 pass\n 1 skip\n 0 fail\n', 5, 1],
  ['unittest', 'Ran 5 tests in 0.001s\n\nOK (skipped=2)\n', 3, 2],
  ['prove', 'Files=2, Tests=12,  0 wallclock secs\n', 12, 0],
  [
    'go',
    'ok  \texample.com/a\t0.012s\nok  \texample.com/b\t0.012s [no tests to run]\n?   \texample.com/c\t[no test files]\n',
    1,
    0,
  ],
  ['go -v', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- SKIP: TestA/b (0.00s)\n', 1, 1],
  ['Dart', '00:01 +12 ~1: All tests passed!\n', 12, 1],
];

it.each(rows)('the tests that %s ran are counted', (_, output, passed, skipped) =>
  expect(readTestCount(`$ run it\n${output}done\n`)).toEqual({ passed, skipped }),
);

it.each([
  '',
  'checked 12 files, all passed',
  '5 problems',
  'Found 0 errors in 12 files',
  'built in 12.1s',
  'compiled: 12 passed over',
])('%j says nothing of tests', (output) => expect(readTestCount(output)).toBeNull());

it('no test at all is a count', () => {
  expect(readTestCount('# tests 0\n# pass 0\n')).toEqual({ passed: 0, skipped: 0 });
});
