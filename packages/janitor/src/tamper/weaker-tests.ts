import type { FileLines } from '../added-lines.ts';
import { isSnapshot, isTestName, isTestPath } from './test-paths.ts';
import { countTestWords, type TestWords } from './test-words.ts';

/** A changed file with its lines, and whether the change deletes it. */
export interface ChangedTest extends FileLines {
  deleted: boolean;
}

/** One way in which tests prove less, and the files in which they do. */
export interface WeakerTest {
  text: string;
  paths: string[];
}

/**
 * Flags a change that makes the tests prove less. Sums are taken over the whole change, so moving tests from file to file is no weakening.
 */
export function weakerTests(files: readonly ChangedTest[]): WeakerTest[] {
  const tests = files.filter((file) => isTestPath(file.path) && !isSnapshot(file.path));
  const counted = tests.map((file) => ({
    ...file,
    change: difference(countTestWords(file.added), countTestWords(file.removed)),
  }));
  const fewer = (key: keyof TestWords): number => -counted.reduce((sum, file) => sum + file.change[key], 0);
  const flags: WeakerTest[] = [];
  const flagFewer = (key: keyof TestWords, what: string): void => {
    const paths = counted.filter((file) => file.change[key] < 0).map((file) => file.path);
    flags.push({ text: `${what} fewer, in ${names(paths)}`, paths });
  };
  if (fewer('cases') > 0) flagFewer('cases', `tests removed: ${fewer('cases')}`);
  if (fewer('assertions') > 0) flagFewer('assertions', `assertions removed: ${fewer('assertions')}`);
  else if (fewer('strict') > 0) flagFewer('strict', `assertions weakened: ${fewer('strict')} exact ones`);
  for (const { path, change } of counted) {
    if (change.skips > 0)
      flags.push({ text: `tests skipped: ${change.skips} more in ${path}`, paths: [path] });
  }
  for (const { path, removed, deleted } of tests) {
    if (deleted && isTestName(path) && countTestWords(removed).cases === 0)
      flags.push({ text: `test file deleted: ${path}`, paths: [path] });
  }
  const rewritten = files
    .filter((file) => isSnapshot(file.path) && file.removed.length > 0)
    .map((file) => file.path);
  if (rewritten.length > 0)
    flags.push({ text: `recorded expectations rewritten: ${names(rewritten)}`, paths: rewritten });
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
