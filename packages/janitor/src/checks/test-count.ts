import { stripVTControlCharacters } from 'node:util';

/** How many tests passed, and how many were found and not run. */
export interface TestCount {
  passed: number;
  skipped: number;
}

/** Reads a line with which a runner of tests sums up; null: it is no such line. */
type Reader = (line: string) => TestCount | null;

/** A line with groups `run`, `passed`, `lost` and `skipped`, any of which may be missing: what was run and not lost has passed. */
const counted =
  (pattern: RegExp): Reader =>
  (line) => {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) return null;
    const of = (begin: string): number =>
      Object.entries(groups).reduce(
        (sum, [name, value]) => sum + (name.startsWith(begin) ? Number(value ?? 0) : 0),
        0,
      );
    const skipped = of('skipped');
    const isTotal = Object.keys(groups).some((name) => name.startsWith('run'));
    return { passed: isTotal ? Math.max(0, of('run') - of('lost') - skipped) : of('passed'), skipped };
  };

/** A line with parts such as `2 skipped, 11 passed`, in any order. */
const listed =
  (pattern: RegExp): Reader =>
  (line) => {
    const [, list] = pattern.exec(line) ?? [];
    if (list === undefined) return null;
    const of = (words: string): number =>
      [...list.matchAll(new RegExp(`(\\d+) (?:${words})\\b`, 'g'))].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    return {
      passed: of('passed|xpassed'),
      skipped: of('skipped|todo|pending|deselected|xfailed|ignored|disabled'),
    };
  };

/* Each runner has a line that no other has, so that nothing is counted twice. */
const readers: readonly Reader[] = [
  listed(/^\s*Tests\s{2,}(\d.*)\(\d+\)$/), // vitest
  listed(/^Tests:\s+(.*), \d+ total$/), // jest
  listed(/^=*\s*((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b/), // pytest
  listed(/^\s{2,}(\d+ passed)(?: \([\d.]+m?s?\))$/), // playwright
  counted(/^\s+(?<passed>\d+) passing\b/), // mocha
  counted(/^\s+(?<skipped>\d+) pending$/),
  counted(/^[#ℹ] pass\s+(?<passed>\d+)$/), // node:test, tape
  counted(/^[#ℹ] skipped (?<skipped>\d+)$/),
  counted(/^[#ℹ] todo (?<skipped>\d+)$/),
  counted(/^test result: \w+\. (?<passed>\d+) passed; \d+ failed; (?<skipped>\d+) ignored\b/), // cargo
  counted(
    /^(?:\[\w+\] )?Tests run: (?<run>\d+), Failures: (?<lost>\d+), Errors: (?<lost2>\d+), Skipped: (?<skipped>\d+)$/,
  ), // Maven
  counted(/^\[\s*(?<passed>\d+) tests successful\s*\]$/), // JUnit console
  counted(/^(?<run>\d+) examples?, (?<lost>\d+) failures?(?:, (?<skipped>\d+) pending)?\b/), // RSpec, hspec
  counted(
    /^(?<run>\d+) (?:runs|tests), \d+ assertions, (?<lost>\d+) failures, (?<lost2>\d+) errors, (?<skipped>\d+) (?:skips|pendings)\b/,
  ), // minitest, test-unit
  counted(/^OK \((?<passed>\d+) tests?, \d+ assertions?\)$/), // PHPUnit
  counted(
    /^Tests: (?<run>\d+), Assertions: \d+(?:, (?:Skipped: (?<skipped>\d+)|Incomplete: (?<skipped2>\d+)|Failures: (?<lost>\d+)|Errors: (?<lost2>\d+)|\w+: \d+))*\.$/,
  ),
  counted(/^Passed!\s+-\s+Failed:\s+\d+, Passed:\s+(?<passed>\d+), Skipped:\s+(?<skipped>\d+)\b/), // .NET
  counted(
    /^(?:(?<run1>\d+) doctests?, )?(?<run2>\d+) tests?, 0 failures?(?:, (?<skipped1>\d+) (?:excluded|skipped|invalid))?(?:, (?<skipped2>\d+) (?:excluded|skipped|invalid))?$/,
  ), // ExUnit, bats
  counted(/^\d+% tests passed, (?<lost>\d+) tests failed out of (?<run>\d+)$/), // CTest
  counted(/^ok \| (?<passed>\d+) passed\b.*\| 0 failed(?: \| (?<skipped>\d+) ignored)?/), // Deno
  counted(/^\s*(?<passed>\d+) pass$/), // Bun
  counted(/^\s*(?<skipped>\d+) skip$/),
  counted(/^Ran (?<passed>\d+) tests? in [\d.]+s$/), // unittest
  counted(/^Files=\d+, Tests=(?<passed>\d+),/), // prove
  counted(/^All (?<passed>\d+) tests passed\.$/), // Zig
  counted(/^(?<passed>\d+) successes \/ 0 failures \/ 0 errors \/ (?<skipped>\d+) pending\b/), // busted
  counted(/^\s*\d+:\d+ \+(?<passed>\d+)(?: ~(?<skipped>\d+))?: All tests passed!$/), // Dart
  goPackage,
];

/** Of a package of Go only that it has tests is said, unless each is listed. */
function goPackage(line: string): TestCount | null {
  if (/^\s*--- PASS: /.test(line)) return { passed: 1, skipped: 0 };
  if (/^\s*--- SKIP: /.test(line)) return { passed: 0, skipped: 1 };
  return /^ok {2}\t?\S+\t(?!.*\[no tests to run\])/.test(line) ? { passed: 1, skipped: 0 } : null;
}

/** `OK (skipped=2)`: these are in the count above it. */
const amongThem = /^OK \((?:.*, )?skipped=(\d+)/;

/**
 * The tests that passed and that were skipped, as the output of a green command says: the sum of all that its runners print at their ends.
 * Null: no runner that is known here says it. Pure.
 */
export function readTestCount(output: string): TestCount | null {
  const lines = stripVTControlCharacters(output).split(/\r?\n/);
  const found = lines.map(readLine).filter((count) => count !== null);
  if (found.length === 0) return null;
  const sum = (of: (count: TestCount) => number): number =>
    found.reduce((total, count) => total + of(count), 0);
  return {
    passed: Math.max(
      0,
      sum(({ passed }) => passed),
    ),
    skipped: sum(({ skipped }) => skipped),
  };
}

function readLine(line: string): TestCount | null {
  const among = amongThem.exec(line);
  if (among !== null) return { passed: -Number(among[1]), skipped: Number(among[1]) };
  for (const read of readers) {
    const found = read(line);
    if (found !== null) return found;
  }
  return null;
}

/** `12 passed, 1 skipped`. */
export function countText({ passed, skipped }: TestCount): string {
  return `${passed} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
