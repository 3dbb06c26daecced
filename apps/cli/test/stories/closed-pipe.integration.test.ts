import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench, type Started } from '../support/bench.ts';
import { planOf, waits } from '../support/plans.ts';

/** What `| head -1` does once it has its line. */
function stopReading({ child }: Started): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

test('a run goes on to its end when nobody reads its output any more, `logs -f` ends, and Postgres ends with the run', async () => {
  await using bench = await createBench();
  const gate = path.join(bench.home, 'go');
  const lastGate = path.join(bench.home, 'go-last');
  const steps = [
    { key: 'slow', agent: waits('slow.txt', { gate }) },
    { key: 'last', agent: waits('last.txt', { gate: lastGate }), depends_on: ['slow'] },
  ];
  await bench.repo.write({ 'plan.yaml': planOf('piped', steps) });
  const run = bench.start(['run', 'plan.yaml', '--json']);
  await until(() => readFile(`${gate}.started`, 'utf8'), {
    what: 'the agent is at work',
    timeoutMs: 120_000,
  });
  stopReading(run);

  const logs = bench.start(['logs', '-f', '--json']);
  stopReading(logs);
  // The next event meets the closed pipe, while the run waits for its last task.
  await writeFile(gate, '');
  expect(await logs.ended).toMatchObject({ exitCode: 0, signal: null });
  await writeFile(lastGate, '');
  expect(await run.ended).toMatchObject({ exitCode: 0, signal: null });
  expect(await bench.hasServer()).toBe(false);
  const runs = await bench.baton(['runs', '--json']);
  expect(JSON.parse(runs.stdout)).toMatchObject({ runs: [{ status: 'done' }] });
});
