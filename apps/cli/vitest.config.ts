import { mergeConfig } from 'vitest/config';
import shared, { databaseServer } from '../../vitest.shared.ts';

/** Stories start real servers, agents and gates; a machine that is busy otherwise may take its time. */
const storyMs = 240_000;

export default mergeConfig(shared, {
  test: {
    globalSetup: [databaseServer, './test/support/make-empty-cluster.ts'],
    testTimeout: storyMs,
    hookTimeout: storyMs,
  },
});
