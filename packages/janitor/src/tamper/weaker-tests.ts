import type { FileLines } from '../added-lines.ts';
import { isSnapshot, isTestName, isTestPath } from './test-paths.ts';
import { countTestWords, type TestWords } from './test-words.ts';

/** A changed file with its lines, and whether the change deletes it. */
export interface ChangedTest extends FileLines {
  deleted: boolean;
}

/**
 * Flags a change that makes the tests prove less. Sums are taken over the whole change, so moving tests from file to file is no weakening.
 */
export function weakerTests(files: readonly ChangedTest[]): string[] {
  const tests = files.filter((file) => isTestPath(file.path) && !isSnapshot(file.path));
  const counted = tests.map((file) => ({
    ...file,
    change: difference(countTestWords(file.added), countTestWords(file.removed)),
  }));
  const fewer = (key: keyof TestWords): number => -counted.reduce((sum, file) => sum + file.change[key], 0);
  const where = (key: keyof TestWords): string =>
    names(counted.filter((file) => file.change[key] < 0).map((file) => file.path));

  const flags: string[] = [];
  if (fewer('cases') > 0) flags.push(`tests removed: ${fewer('cases')} fewer, in ${where('cases')}`);
  if (fewer('assertions') > 0)
    flags.push(`assertions removed: ${fewer('assertions')} fewer, in ${where('assertions')}`);
  else if (fewer('strict') > 0)
    flags.push(`assertions weakened: ${fewer('strict')} exact ones fewer, in ${where('strict')}`);
  for (const { path, change } of counted) {
    if (change.skips > 0) flags.push(`tests skipped: ${change.skips} more in ${path}`);
  }
  for (const file of tests) {
    const { cases } = countTestWords(file.removed);
    if (file.deleted && isTestName(file.path) && cases === 0) flags.push(`test file deleted: ${file.path}`);
  }
  const rewritten = files.filter((file) => isSnapshot(file.path) && file.removed.length > 0);
  if (rewritten.length > 0)
    flags.push(`recorded expectations rewritten: ${names(rewritten.map((file) => file.path))}`);
  return flags;
}

function difference(added: TestWords, removed: TestWords): TestWords {
  return {
    cases: added.cases - removed.cases,
    assertions: added.assertions - removed.assertions,
    strict: added.strict - removed.strict,
    skips: added.skips - removed.skips,
  };
}

function names(paths: readonly string[]): string {
  return paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
}
