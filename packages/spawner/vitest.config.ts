import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// One more file at a time than elsewhere: a third of the time here is waiting for what must not happen, such as the end of a lease.
export default mergeConfig(shared, { test: { maxWorkers: 3 } });
