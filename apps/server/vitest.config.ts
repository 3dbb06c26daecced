import { mergeConfig } from 'vitest/config';
import shared, { databaseServer } from '../../vitest.shared.ts';

export default mergeConfig(shared, {
  test: { globalSetup: [databaseServer] },
});
