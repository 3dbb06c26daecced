import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runReadmeExample } from '@baton/testkit';

test("the README's example compiles, runs and prints what it says", async () => {
  const printed = await runReadmeExample(fileURLToPath(new URL('../README.md', import.meta.url)));
  expect(printed).toBe('true signals+gates\nmoved Say hello\n');
}, 120_000);
