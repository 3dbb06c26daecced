import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// The literal types are part of what the kernel promises, so they are tested wherever its tests run.
// Files share a process: no test here leaves state behind that another one sees.
export default mergeConfig(shared, {
  test: { isolate: false, typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] } },
});
