import { runReadmeExample } from '@baton/testkit';
import path from 'node:path';
import { expect, test } from 'vitest';

test('the example of the README works as shown', async () => {
  const output = await runReadmeExample(path.join(import.meta.dirname, '../README.md'));
  expect(output.match(/^greet landed$/gm)).toHaveLength(2);
  expect(output).toContain("model: 'claude-sonnet-5'");
  expect(output).toContain("reason: 'docs need no such model'");
});
