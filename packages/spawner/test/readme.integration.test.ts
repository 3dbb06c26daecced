import { fileURLToPath } from 'node:url';
import { runReadmeExample } from '@baton/testkit';
import { expect, test } from 'vitest';

test("the README's example compiles, runs and prints what it says", async () => {
  const printed = await runReadmeExample(fileURLToPath(new URL('../README.md', import.meta.url)));
  expect(printed).toBe("done [ 'haiku.txt' ] an old silent pond\n");
}, 120_000);
