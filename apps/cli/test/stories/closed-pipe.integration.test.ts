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

test(
  '`--watch` shows each change until the run is over, and ends with Ctrl-C or when its reader is gone',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const gate = path.join(bench.home, 'go');
    await bench.repo.write({
      'plan.yaml': planOf('seen', [{ key: 'slow', agent: waits('slow.txt', { gate }) }]),
    });
    const run = bench.start(['run', 'plan.yaml']);
    await until(() => readFile(`${gate}.started`, 'utf8'), {
      what: 'the agent is at work',
      timeoutMs: 120_000,
    });

    const [watch, other, unread] = [
      bench.start(['status', '--watch', '--json']),
      bench.start(['tasks', '--watch']),
      bench.start(['status', '--watch']),
    ];
    const shown = (started: Started, text: string) =>
      until(() => started.stdout().includes(text), { what: `${text} is shown`, timeoutMs: 120_000 });
    await Promise.all([shown(watch, 'IN_PROGRESS'), shown(other, 'slow'), shown(unread, 'slow')]);
    stopReading(unread);
    other.child.kill('SIGINT');
    expect(await other.ended).toMatchObject({ exitCode: 130, signal: null });

    await writeFile(gate, '');
    const ended = await watch.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    const views = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { run: { status: string } });
    expect(views.length).toBeGreaterThan(1);
    expect(views.at(-1)?.run.status).toBe('done');
    expect((await unread.ended).exitCode).toBe(0);
    expect((await run.ended).exitCode).toBe(0);
    expect(await bench.hasServer()).toBe(false);
  },
);

test('without a reader of its output a run continues to its end, `logs -f` ends, and Postgres ends with the run', async () => {
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
