import { fileURLToPath } from 'node:url';
import { runReadmeExample } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createBench } from './support.ts';

test('the example of the README compiles and runs against a server', async () => {
  await using bench = await createBench();
  const server = await bench.serve();
  const readme = fileURLToPath(new URL('../README.md', import.meta.url));
  const env = { BATON_URL: server.url, BATON_KEY: await bench.key('operator') };
  const printed = (await runReadmeExample(readme, { env })).trim().split('\n');
  expect(printed).toEqual([
    'format is PLANNED',
    'format waits: plan_approval',
    'task PLANNED -> OPEN',
    'format is OPEN',
  ]);
});
