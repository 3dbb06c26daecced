import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Files share a process: what the testkit keeps of a process must hold for several files.
export default mergeConfig(shared, { test: { isolate: false, globalSetup: ['./src/global-setup.ts'] } });
