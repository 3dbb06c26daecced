import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.shared.ts';

// One more file at a time than elsewhere: the short form of `reach` waits two minutes for a lease to end, and uses no processor.
export default mergeConfig(shared, { test: { maxWorkers: 3 } });
