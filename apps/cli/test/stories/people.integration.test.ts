import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

test('--review plans only: exit code 3, nothing starts, and after the approval the run continues', async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('looked-at', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
  });
  const planned = await bench.baton(['run', 'plan.yaml', '--review']);
  expect(planned.exitCode).toBe(3);
  expect(planned.stderr).toContain('error APPROVAL_NEEDED');
  expect(planned.stderr).toMatch(/baton plan approve looked-at-[a-z0-9]{4}/);
  const tasks = await bench.baton(['tasks', '--json']);
  expect(JSON.parse(tasks.stdout)).toMatchObject({ tasks: [{ key: 'a', status: 'PLANNED' }] });
  expect((await bench.baton(['plan', 'approve'])).exitCode).toBe(0);
  const ended = await bench.baton(['run', '--resume', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ tasks: [{ key: 'a', status: 'CLOSED' }] });
});

test('a rejected plan is cancelled', { tags: ['long'] }, async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('unwanted', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
  });
  await bench.baton(['run', 'plan.yaml', '--review']);
  expect((await bench.baton(['plan', 'reject', '--reason', 'no'])).exitCode).toBe(0);
  const tasks = await bench.baton(['tasks', '--json']);
  expect(JSON.parse(tasks.stdout)).toMatchObject({ tasks: [{ status: 'CANCELLED' }] });
});

test('finished work that needs a yes waits: exit code 3 without a terminal, and lands after `baton approve`', async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('asks', [{ key: 'a', agent: writes('a.txt', 'a\n'), approval: true }]),
  });
  const waiting = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(waiting.exitCode, waiting.stderr).toBe(3);
  const { target, tasks } = JSON.parse(waiting.stdout) as RunResult;
  expect(tasks).toMatchObject([{ key: 'a', status: 'PENDING_APPROVAL', commit: null }]);
  expect(await bench.repo.git('log', '--format=%s', `main..${target}`)).toBe('');
  const listed = await bench.baton(['approve', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ approvals: [{ key: 'a' }] });
  expect(listed.stdout).not.toContain('nonce');
  expect((await bench.baton(['approve', 'a', '--reason', 'read it'])).exitCode).toBe(0);
  const ended = await bench.baton(['run', '--resume', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(await bench.repo.git('log', '--format=%s', `main..${target}`)).toBe('a');
});

test(
  'work that never passes fails with exit code 1, says why, and a granted retry reopens the run',
  { tags: ['long'] },
  async () => {
    const signals = [{ type: 'path_exists', path: 'b.txt' }];
    await using bench = await createBench({
      'plan.yaml': planOf('never', [{ key: 'a', agent: writes('a.txt', 'a\n'), signals }]),
    });
    const ended = await bench.baton(['run', 'plan.yaml', '--max-retries', '1']);
    expect(ended.exitCode, ended.stderr).toBe(1);
    expect(ended.stderr).toMatch(/✘ rejected +a +.*b\.txt/);
    expect(ended.stderr).toMatch(/↻ again +a +(command: )?try 2 of 2, after: .*b\.txt/);
    expect(ended.stdout).toMatch(
      /✘ never-[a-z0-9]{4} failed: 0 of 1 task landed · 2 attempts \(2 rejected\)/,
    );
    const why = await bench.baton(['explain', 'a', '--json']);
    expect(JSON.parse(why.stdout)).toMatchObject({ status: 'FAILED', settled: true });
    expect((await bench.baton(['retry', 'a'])).exitCode).toBe(0);
    const status = await bench.baton(['status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ run: { status: 'running' } });
    const cancelled = await bench.baton(['cancel', 'a', '--json']);
    expect(JSON.parse(cancelled.stdout)).toEqual({ dryRun: false, cancelled: ['a'] });
  },
);

test(
  'a red base stops the run before any work with the gate and its output; --allow-red takes it as it is',
  { tags: ['long'] },
  async () => {
    const gates = [
      { name: 'tests', command: ['node', '-e', "console.error('one test fails'); process.exit(1)"] },
    ];
    await using bench = await createBench({
      'plan.yaml': planOf('red', [{ key: 'a', agent: writes('a.txt', 'a\n') }], { gates }),
    });
    const refused = await bench.baton(['run', 'plan.yaml']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error BASE_RED');
    expect(refused.stderr).toContain('tests');
    expect(refused.stderr).toContain('one test fails');
    expect(refused.stderr).toContain('--allow-red');
    const ended = await bench.baton(['run', 'plan.yaml', '--allow-red', 'tests', '--json']);
    expect(ended.exitCode, ended.stderr).toBe(0);
  },
);
