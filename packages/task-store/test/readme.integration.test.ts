import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runReadmeExample } from '@baton/testkit';

it('runs the example of its README', { timeout: 120_000 }, async () => {
  const printed = await runReadmeExample(fileURLToPath(new URL('../README.md', import.meta.url)));
  expect(printed).toBe('greet CLAIMED running\n1 task waited for it\ngreet CLOSED\nwave OPEN\n');
});
