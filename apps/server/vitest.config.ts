import { mergeConfig } from 'vitest/config';
import shared, { databaseServer } from '../../vitest.shared.ts';

// Files share a process: no test here leaves state behind that another one sees.
export default mergeConfig(shared, {
  test: { isolate: false, globalSetup: [databaseServer] },
});
