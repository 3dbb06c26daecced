import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// Most of the time here is waiting: for beats of other machines, and for ends of servers that nobody uses.
export default mergeConfig(shared, { test: { maxWorkers: 4 } });
