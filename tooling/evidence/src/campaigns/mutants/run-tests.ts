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
  /** Files with something red, from the folder of their package, each with the first line of why. */
  redFiles: ReadonlyMap<string, string>;
  /** The end of what it printed, when it showed nothing. */
  trouble: string | null;
}

/** Which tests run, and where. */
export interface TestOptions {
  /** The repository, or a copy of it. */
  folder: string;
  /** Folder for the report of the tests; that of the repository when left out. */
  reportFolder?: string;
  /** Further variables of the environment of the tests. */
  env?: Readonly<Record<string, string>>;
  /** Files of the package, or parts of their paths; empty for all of them. */
  tests: readonly string[];
  /** Whether the first red test ends the run. */
  bail: boolean;
  /** A run that lasts longer is ended, and shows nothing. */
  longestMs: number;
  /** Home of the packaged Postgres server. */
  serverHome: string;
  /** Ends the run when aborted. */
  interrupted: AbortSignal | undefined;
}

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string().nullable()).optional(),
        }),
      ),
    }),
  ),
});

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
/** Code that runs for a second is not worth optimising, least of all the WebAssembly of Prisma. */
const quickStart = ['--wasm-lazy-compilation', '--liftoff-only'];
/** These take the place of those in the settings; the fault is in the source, so nothing built is tested. */
const nodeArguments = ['--conditions=@baton/source', ...quickStart].map((each) => `--execArgv=${each}`);

/** Runs test files of a package of the repository, or of a copy; the package manager has no part in it, it would change the links. */
export async function runTests(
  owner: string,
  { folder, reportFolder = folder, env = {}, tests, bail, longestMs, serverHome, interrupted }: TestOptions,
): Promise<TestRun> {
  const cwd = path.join(folder, owner);
  const outputFile = path.join(reportFolder, 'test-report.json');
  await rm(outputFile, { force: true });
  const limit = AbortSignal.timeout(longestMs);
  const { stdout, stderr } = await runProgram(
    // Types are looked at by other means; here a fault has to be noticed by something that runs.
    [
      process.execPath,
      ...[vitest, 'run', '--typecheck.enabled=false', '--reporter=json', '--retry=0', ...nodeArguments],
      ...[`--outputFile=${outputFile}`, `--bail=${bail ? 1 : 0}`, ...tests],
    ],
    {
      cwd,
      env: {
        ...process.env,
        ...{ NODE_OPTIONS: '', CI: '1', NO_COLOR: '1', FORCE_COLOR: undefined, BATON_TEST_BUILT: undefined },
        BATON_TEST_PG_HOME: serverHome,
        ...env,
      },
      signal: interrupted === undefined ? limit : AbortSignal.any([limit, interrupted]),
    },
  );
  const text = await readFile(outputFile, 'utf8').catch(() => '');
  const { testResults, numPassedTests, numFailedTests } = report.parse(
    text === '' ? { numPassedTests: 0, numFailedTests: 0, testResults: [] } : JSON.parse(text),
  );
  const failed = testResults
    .flatMap((file) => file.assertionResults)
    .find(({ status }) => status === 'failed');
  const red = testResults.filter(({ status }) => status !== 'passed');
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    firstFailed: failed?.fullName.trim() ?? null,
    redFiles: new Map(red.map((file) => [path.relative(cwd, file.name), whyRed(file)])),
    trouble: numPassedTests + numFailedTests > 0 ? null : `${stdout}${stderr}`.trim().slice(-500),
  };
}

function whyRed({ message = '', assertionResults }: z.output<typeof report>['testResults'][number]): string {
  const failed = assertionResults.find(({ status }) => status === 'failed');
  const [line = ''] = (failed?.failureMessages?.[0] ?? message).trim().split('\n');
  return line.slice(0, 200);
}
