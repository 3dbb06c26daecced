import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { runProgram } from '../../run-program.ts';
import { root } from './scratch.ts';

/** What a run of tests showed. */
export interface TestRun {
  passed: number;
  failed: number;
  /** The first test that failed. */
  firstFailed: string | null;
  /** The end of what it printed, when it showed nothing. */
  trouble: string | null;
}

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) }),
  ),
});

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');

/** Runs test files of a package in a copy of the repository; the package manager has no part in it, it would change the links. */
export async function runTests(
  folder: string,
  { owner, tests }: { owner: string; tests: readonly string[] },
): Promise<TestRun> {
  const cwd = path.join(folder, owner);
  const outputFile = path.join(folder, 'test-report.json');
  await rm(outputFile, { force: true });
  const { stdout, stderr } = await runProgram(
    // Types are looked at by other means; here a fault has to be noticed by something that runs.
    [
      process.execPath,
      vitest,
      'run',
      '--typecheck.enabled=false',
      '--bail=1',
      '--reporter=json',
      `--outputFile=${outputFile}`,
      ...tests,
    ],
    { cwd, env: { ...process.env, NODE_OPTIONS: '', CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined } },
  );
  const text = await readFile(outputFile, 'utf8').catch(() => '');
  const parsed = text === '' ? null : report.parse(JSON.parse(text));
  const failed = parsed?.testResults
    .flatMap((file) => file.assertionResults)
    .find(({ status }) => status === 'failed');
  const [passed, failures] = [parsed?.numPassedTests ?? 0, parsed?.numFailedTests ?? 0];
  return {
    passed,
    failed: failures,
    firstFailed: failed?.fullName.trim() ?? null,
    trouble: passed + failures > 0 ? null : `${stdout}${stderr}`.trim().slice(0, 500),
  };
}
