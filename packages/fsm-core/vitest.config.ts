import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// The literal types are part of what the kernel promises, so they are tested wherever its tests run.
export default mergeConfig(shared, {
  test: { typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] } },
});
