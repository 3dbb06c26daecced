import { defineConfig } from 'vitest/config';

/** Tests run on source: workspace packages resolve by the "@baton/source" condition, so nothing has to be built first. */
export default defineConfig({
  resolve: { conditions: ['@baton/source', 'node'] },
  ssr: { resolve: { conditions: ['@baton/source', 'node'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
