import { runReadmeExample } from '@baton/testkit';
import path from 'node:path';
import { expect, test } from 'vitest';

test('the example of the README works as shown', async () => {
  const output = await runReadmeExample(path.join(import.meta.dirname, '../README.md'));
  expect(output).toContain('2 true');
});
