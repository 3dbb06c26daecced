import { hostname } from 'node:os';

import { createBatonClient } from '@baton/server/client';
import { processStartTime, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench, type Started } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

interface Ready {
  ready: true;
  name: string;
  pid: number;
  url?: string;
}

function readyLines(started: Started): Ready[] {
  return started
    .stdout()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Ready);
}

test('`baton up` starts server and workers that carry out a submitted plan, and Ctrl-C ends them all', async () => {
  await using bench = await createBench();
  const created = await bench.baton(['keys', 'create', 'tester', '--scope', 'operator', '--json']);
  const { key } = JSON.parse(created.stdout) as { key: string };
  const started = bench.start(['up', '--port', '0', '--workers', '2', '--json']);
  const ready = await until(() => readyLines(started).length === 3 && readyLines(started), {
    what: `three processes are ready; stderr: ${started.stderr()}`,
    timeoutMs: 120_000,
  });
  expect(ready.map(({ name }) => name).sort()).toEqual(['server', 'worker-1', 'worker-2']);

  const client = createBatonClient({ url: ready.find(({ name }) => name === 'server')?.url ?? '', key });
  const step = { title: 'a file', agent: writes('a.txt', 'a\n') };
  const { run } = await client.plans.submit.mutate({
    plan: { name: 'remote', stages: [{ name: 'all', steps: [step] }] },
    repo: { location: bench.repo.path, host: hostname() },
    baseCommit: await bench.repo.git('rev-parse', 'HEAD'),
  });
  await client.plans.approve.mutate({ run: run.id, reason: 'tested' });
  await until(async () => (await client.runs.get.query({ run: run.id })).status === 'done', {
    what: 'the run is done',
    timeoutMs: 120_000,
  });
  expect(await bench.repo.git('show', `${run.target}:a.txt`)).toBe('a');

  started.child.kill('SIGINT');
  const ended = await started.ended;
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toMatch(/^\{.*"msg":"worker ready".*\}$/m);
  expect(ended.stderr).toMatch(/^Stopped\.$/m);
  expect(ready.map(({ pid }) => processStartTime(pid))).toEqual([undefined, undefined, undefined]);
  expect(await bench.hasServer()).toBe(false);
});

test(
  '`baton up` moves history by the retention of baton.yaml into the archive of the project, and says so',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'baton.yaml': 'retention: { events: 0d, agent_events: 0d }\n',
      'plan.yaml': planOf('over', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
    });
    const ended = await bench.baton(['run', 'plan.yaml']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const started = bench.start(['up', '--port', '0', '--workers', '1', '--json']);
    await until(() => /^Moved \d+ events to /m.test(started.stderr()), {
      what: 'the first round is told',
      timeoutMs: 120_000,
    });
    started.child.kill('SIGINT');
    expect((await started.ended).exitCode).toBe(0);
    const audit = JSON.parse((await bench.baton(['verify-audit', '--json'])).stdout) as {
      archived: number;
      archiveChecked: number;
    };
    expect(audit).toMatchObject({ broken: [] });
    expect(audit.archived).toBeGreaterThan(10);
    expect(audit.archiveChecked).toBe(audit.archived);
  },
);
