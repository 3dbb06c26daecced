import path from 'node:path';
import { expect, test } from 'vitest';
// By path: a dependency on testkit, which depends on this package, would close a cycle in the build graph.
import { runReadmeExample } from '../../testkit/src/readme-example.ts';

test('the example of the README works as shown', async () => {
  const output = await runReadmeExample(path.join(import.meta.dirname, '../README.md'));
  expect(output).toContain('{ usd: 500000 } format-the-sources 300000');
  expect(output).toContain('stagse: unknown key "stagse"');
});
