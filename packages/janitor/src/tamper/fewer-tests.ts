import { countText, type TestCount } from '../checks/test-count.ts';
import { definesGates } from './gate-files.ts';
import { isTestSettings } from './known-settings.ts';
import { isSource } from './languages/all.ts';
import type { ChangedPath } from './read-change.ts';
import type { TestFile } from './test-file.ts';
import { isTestPath } from './test-paths.ts';

/** What the runners of a green gate counted on the head of the target, and with a change. */
export interface TestRun {
  /** Name of the gate. */
  gate: string;
  before: TestCount;
  /** Null: the gate no longer says how many. */
  after: TestCount | null;
}

/** Languages whose tests lie beside what they test, in the same file. */
const holdsOwnTests = /\.(?:rs|zig)$/;
const isProse = (path: string): boolean => /\.(?:md|rst|adoc)$/i.test(path);

/** Whether a change may make a gate run fewer tests: it touches tests, their settings, or what is no source and so may choose them. Pure. */
export function mayRunFewerTests(changes: readonly Pick<ChangedPath, 'path'>[]): boolean {
  const chooses = (path: string): boolean =>
    isTestPath(path) || isTestSettings(path) || definesGates(path) || holdsOwnTests.test(path);
  return changes.some(({ path }) => chooses(path) || !(isSource(path) || isProse(path)));
}

/** Whether fewer tests passed than on the head. Pure. */
export function ranFewer({ before, after }: TestRun): boolean {
  return after === null || after.passed < before.passed;
}

/**
 * The gates that are green and ran fewer tests than the lines of a change explain: tests that are written as fewer, or are gone, can be read
 * there and are judged by that. Pure.
 */
export function unexplainedRuns(runs: readonly TestRun[], tests: readonly TestFile[]): string[] {
  const gone = tests.reduce(
    (sum, { before, after }) => sum + Math.max(0, before.cases.length - after.cases.length),
    0,
  );
  const isExplained = ({ before, after }: TestRun): boolean =>
    after !== null && before.passed - after.passed <= gone;
  return runs
    .filter((run) => ranFewer(run) && !isExplained(run))
    .map(({ gate, before, after }) => {
      const now = after === null ? 'no count any more' : countText(after);
      return `fewer tests run: gate ${gate} says ${now}, on the target ${countText(before)}`;
    });
}
