import type { Fault } from './fault.ts';
import { runTests, type TestOptions, type TestRun } from './run-tests.ts';
import type { Scratch } from './scratch.ts';

/** What became of a planted fault. */
export interface Outcome extends Fault {
  result: 'caught' | 'survived' | 'does not fit' | 'not judged';
  /** The first test that is red, or what went wrong. */
  by: string;
  /** What that test says. */
  says: string;
}

/** How tests are run. */
export type Surroundings = Pick<TestOptions, 'serverHome' | 'interrupted'>;

/** All tests of a package, on a machine that does other work beside. */
const longestBaselineMs = 30 * 60_000;
/** The tests of one fault; one that makes them hang is not caught by that. */
const longestMs = 5 * 60_000;

/**
 * All tests that are wanted for faults of one package, without a fault: only what is green can judge one. What is red beside so much other
 * work is looked at once more, by itself.
 */
export async function baseline(
  { folder }: Scratch,
  faults: readonly Fault[],
  surroundings: Surroundings,
): Promise<TestRun> {
  const all = faults.some(({ tests }) => tests.length === 0);
  const tests = all ? [] : [...new Set(faults.flatMap((fault) => fault.tests))];
  const owner = faults[0]?.owner ?? '';
  const options = { folder, bail: false, longestMs: longestBaselineMs, ...surroundings };
  const first = await runTests(owner, { ...options, tests });
  const red = [...first.redFiles.keys()];
  if (red.length === 0 || first.trouble !== null || surroundings.interrupted?.aborted) return first;
  const { redFiles, failed, trouble } = await runTests(owner, { ...options, tests: red });
  if (trouble !== null) return first;
  return { ...first, passed: first.passed + first.failed - failed, failed, redFiles };
}

/** Plants a fault, runs its tests, and takes it out again. */
export async function plant(
  scratch: Scratch,
  fault: Fault,
  surroundings: Surroundings & { without: TestRun },
): Promise<Outcome> {
  const { without, ...rest } = surroundings;
  const doubt = redWithout(fault, without);
  if (doubt !== null) return { ...fault, result: 'not judged', by: doubt, says: '' };
  const misfit = await scratch.plant(fault.patch);
  if (misfit !== null) return { ...fault, result: 'does not fit', by: misfit, says: '' };
  const { folder } = scratch;
  const options = { folder, tests: fault.tests, longestMs, ...rest };
  const first = await runTests(fault.owner, { ...options, bail: true });
  // A file that a fault keeps from being loaded ends a run before the tests of others, which may tell more.
  const run = first.trouble === null ? first : await runTests(fault.owner, { ...options, bail: false });
  await scratch.clear();
  const [says = ''] = run.redFiles.values();
  if (run.failed > 0) return { ...fault, result: 'caught', by: run.firstFailed ?? '', says };
  return run.trouble === null
    ? { ...fault, result: 'survived', by: '', says: '' }
    : { ...fault, result: 'not judged', by: `no test ran: ${run.trouble}`, says };
}

/** Why the tests of a fault cannot tell anything: some are red as they are. */
function redWithout({ tests }: Fault, { redFiles, trouble }: TestRun): string | null {
  if (trouble !== null) return `no test runs without any fault: ${trouble}`;
  const red = [...redFiles].find(([file]) => tests.length === 0 || tests.some((part) => file.includes(part)));
  return red === undefined ? null : `red without any fault: ${red.join(': ')}`;
}
