import path from 'node:path';

import { runReadmeExample } from '@baton/testkit';
import { expect, test } from 'vitest';

test('the example of the README works as shown', async () => {
  expect(await runReadmeExample(path.join(import.meta.dirname, '../README.md'))).toBe('');
});
