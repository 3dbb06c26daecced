import { defineConfig } from 'vitest/config';

/** Tests run on source: workspace packages resolve by the "@baton/source" condition, so nothing has to be built first. */
const resolve = { conditions: ['@baton/source', 'node'] };

export default defineConfig({
  resolve,
  ssr: { resolve },
  environments: { __vitest__: { resolve } }, // where globalSetup runs
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
