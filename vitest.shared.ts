import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';
import { memoryFolder } from './tooling/tests/memory-folder.ts';

/** Tests run on source: workspace packages resolve by this condition, so nothing has to be built first. */
const condition = '@baton/source';

// Here for the modules of globalSetup, which this process loads; the processes of the tests get the condition as an argument.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [condition, ...context.conditions] }),
});

/** The processes of the tests, and those that they start, compile each module once. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url));

const inMemory = process.env['TMPDIR'] === undefined ? memoryFolder() : undefined;
if (inMemory !== undefined) process.env['TMPDIR'] = inMemory;

/** For `globalSetup`, which is looked for without that condition: gives the tests of a package a database server. */
export const databaseServer = fileURLToPath(new URL('packages/testkit/src/global-setup.ts', import.meta.url));

/** Tells of each test that passed at its second try only; `npm test` repeats these lines at its end. */
const secondTries: Reporter = {
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky === true)
      console.error(`PASSED AT THE SECOND TRY ONLY ${test.module.relativeModuleId} > ${test.fullName}`);
  },
};

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 1,
    tags: [
      {
        name: 'long',
        description:
          'a variant of what other tests guard; `pnpm evidence long-tests` runs it, `npm test` does not',
      },
    ],
    reporters: ['default', secondTries],
    pool: 'forks',
    maxWorkers: 2,
    // Files share a process, and what it has loaded: no test leaves state behind that another one sees.
    isolate: false,
    // Node loads the sources itself, and keeps what it compiled: nothing is transformed for each package once more.
    experimental: { viteModuleRunner: false },
    execArgv: [`--conditions=${condition}`],
  },
});
