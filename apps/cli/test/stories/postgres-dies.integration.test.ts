import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTestDatabase, until } from '@baton/testkit';
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

test(
  'says that a database of the user takes no connection for a while, waits for it, and loses no work',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    await using database = await createTestDatabase({
      migrate: () => Promise.resolve(),
      templateKey: 'empty',
    });
    const gate = path.join(bench.home, 'go');
    await bench.repo.write({
      'plan.yaml': planOf('refused', [
        { key: 'slow', agent: waits('slow.txt', { gate }) },
        { key: 'last', agent: writes('last.txt', 'last\n'), depends_on: ['slow'] },
      ]),
    });
    const env = { DATABASE_URL: database.url };
    const started = bench.start(['run', 'plan.yaml', '--json'], { env });
    await until(() => readFile(`${gate}.started`, 'utf8'), {
      what: 'the slow agent is at work',
      timeoutMs: 120_000,
    });
    await database.close();
    try {
      await until(() => started.stderr().includes('The database is away: Postgres takes no connection: '), {
        what: 'the command says that the database is away',
        timeoutMs: 30_000,
      });
      const status = await bench.baton(['status'], { env });
      expect(status.stderr).toContain('takes no connection (55000)');
      await writeFile(gate, '');
    } finally {
      await database.reopen();
    }
    const ended = await started.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr.match(/The database (is away|answers again)/g)).toEqual([
      'The database is away',
      'The database answers again',
    ]);
    const { tasks } = JSON.parse(ended.stdout) as RunResult;
    expect(tasks.map(({ key, status, attempts }) => [key, status, attempts])).toEqual([
      ['slow', 'CLOSED', 1],
      ['last', 'CLOSED', 1],
    ]);
  },
);

/** Process id of the bench's embedded server. */
async function postmaster(home: string): Promise<number> {
  for await (const file of glob('projects/*/postgres/pg/postmaster.pid', { cwd: home })) {
    return Number((await readFile(path.join(home, file), 'utf8')).split('\n')[0]);
  }
  throw new Error('there is no server');
}
