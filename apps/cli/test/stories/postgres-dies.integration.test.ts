import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, waits, writes } from '../support/plans.ts';

test('kill -9 of the embedded Postgres in the middle of a run loses nothing: it is started again and the run ends well', async () => {
  await using bench = await createBench();
  const gate = path.join(bench.home, 'go');
  await bench.repo.write({
    'plan.yaml': planOf('tough', [
      { key: 'quick', agent: writes('quick.txt', 'quick\n') },
      { key: 'slow', agent: waits('slow.txt', { gate }), depends_on: ['quick'] },
      { key: 'last', agent: writes('last.txt', 'last\n'), depends_on: ['slow'] },
    ]),
  });
  const started = bench.start(['run', 'plan.yaml', '--json']);
  await until(() => readFile(`${gate}.started`, 'utf8'), {
    what: 'the slow agent is at work',
    timeoutMs: 120_000,
  });
  const before = await postmaster(bench.home);
  process.kill(before, 'SIGKILL');
  await until(async () => (await postmaster(bench.home)) !== before, {
    what: 'it was started again',
    timeoutMs: 60_000,
  });
  await writeFile(gate, '');
  const ended = await started.ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
  const result = JSON.parse(ended.stdout) as RunResult;
  expect(result.tasks.map(({ key, status }) => [key, status])).toEqual([
    ['quick', 'CLOSED'],
    ['slow', 'CLOSED'],
    ['last', 'CLOSED'],
  ]);
  const subjects = await bench.repo.git('log', '--reverse', '--format=%s', `main..${result.target}`);
  expect(subjects.split('\n')).toEqual(['quick', 'slow', 'last']);
});

/** Process id of the bench's embedded server. */
async function postmaster(home: string): Promise<number> {
  for await (const file of glob('projects/*/postgres/pg/postmaster.pid', { cwd: home })) {
    return Number((await readFile(path.join(home, file), 'utf8')).split('\n')[0]);
  }
  throw new Error('there is no server');
}
