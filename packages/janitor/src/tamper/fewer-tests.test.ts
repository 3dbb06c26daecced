import { expect, it } from 'vitest';
import { parseFiles } from './changed-file.ts';
import { mayRunFewerTests, unexplainedRuns } from './fewer-tests.ts';
import { testFiles } from './test-file.ts';

const run = (before: number, after: number | null, skipped = 0) => ({
  gate: 'tests',
  before: { passed: before, skipped: 0 },
  after: after === null ? null : { passed: after, skipped },
});

/** A change of one file of tests, as git shows it. */
const change = (lines: readonly string[]) => {
  const [gone, come] = ['-', '+'].map((sign) =>
    lines.filter((line) => !line.startsWith(sign === '-' ? '+' : '-')),
  );
  const head = `diff --git a/sum.test.js b/sum.test.js\n--- a/sum.test.js\n+++ b/sum.test.js\n@@ -1,${gone?.length} +1,${come?.length} @@\n`;
  return testFiles(parseFiles(`${head}${lines.join('\n')}\n`));
};

it('a gate that ran fewer tests than on the head is named with both counts', () => {
  expect(unexplainedRuns([run(12, 11, 1)], [])).toEqual([
    'fewer tests run: gate tests says 11 passed, 1 skipped, on the target 12 passed',
  ]);
  expect(unexplainedRuns([run(12, null)], [])).toEqual([
    'fewer tests run: gate tests says no count any more, on the target 12 passed',
  ]);
});

it('as many or more are nothing to look at', () => {
  expect(unexplainedRuns([run(12, 12, 3), run(12, 13)], [])).toEqual([]);
});

it('tests that the change writes as fewer explain that fewer ran, and no more than these', () => {
  const merged = change([
    "-test('one', () => { expect(sum(1, 1)).toBe(2); });",
    "-test('two', () => { expect(sum(1, 2)).toBe(3); });",
    "+test('sums', () => { expect(sum(1, 1)).toBe(2); expect(sum(1, 2)).toBe(3); });",
  ]);
  expect(unexplainedRuns([run(12, 11)], merged)).toEqual([]);
  expect(unexplainedRuns([run(12, 10)], merged)).toHaveLength(1);
});

it.each([
  [['src/sum.test.js'], true],
  [['vitest.config.ts'], true],
  [['parts.csv'], true],
  [['src/lib.rs'], true],
  [['src/sum.js', 'README.md'], false],
])('a change of %j may choose which tests run: %s', (paths, may) => {
  expect(mayRunFewerTests(paths.map((path) => ({ path })))).toBe(may);
});
