import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { processStartTime, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench, type Bench } from '../support/bench.ts';
import { planOf, waits, writes } from '../support/plans.ts';

function slowPlan(gate: string, more: { ignoreSigterm?: boolean } = {}): string {
  return planOf('slow', [
    { key: 'quick', agent: writes('quick.txt', 'quick\n') },
    { key: 'slow', agent: waits('slow.txt', { gate, ...more }), depends_on: ['quick'] },
    { key: 'last', agent: writes('last.txt', 'last\n'), depends_on: ['slow'] },
  ]);
}

/** Waits until the slow agent is at work, and gives its pid. */
function agentAtWork(gate: string): Promise<number> {
  return until(async () => Number(await readFile(`${gate}.started`, 'utf8')), {
    what: 'the slow agent is at work',
    timeoutMs: 120_000,
  });
}

async function gone(pid: number): Promise<void> {
  await until(() => processStartTime(pid) === undefined, {
    what: `process ${pid} is gone`,
    timeoutMs: 30_000,
  });
}

async function finishes(bench: Bench, gate: string): Promise<RunResult> {
  await writeFile(gate, '');
  const ended = await bench.baton(['run', '--resume', '--json']);
  expect(ended.stderr).not.toMatch(/^error/m);
  expect(ended.exitCode).toBe(0);
  const result = JSON.parse(ended.stdout) as RunResult;
  expect(result.tasks.map(({ key, status }) => [key, status])).toEqual([
    ['quick', 'CLOSED'],
    ['slow', 'CLOSED'],
    ['last', 'CLOSED'],
  ]);
  // Landed exactly once each: as many commits as tasks.
  const subjects = await bench.repo.git('log', '--reverse', '--format=%s', `main..${result.target}`);
  expect(subjects.split('\n')).toEqual(['quick', 'slow', 'last']);
  expect(await bench.hasServer()).toBe(false);
  return result;
}

test('after kill -9 in the middle, --resume completes the run, nothing lands twice and nothing stays behind', async () => {
  await using bench = await createBench();
  const gate = path.join(bench.home, 'go');
  await bench.repo.write({ 'plan.yaml': slowPlan(gate) });
  const started = bench.start(['run', 'plan.yaml']);
  const agent = await agentAtWork(gate);
  started.child.kill('SIGKILL');
  expect((await started.ended).signal).toBe('SIGKILL');
  await gone(agent);
  const result = await finishes(bench, gate);
  expect(result.tasks.find((task) => task.key === 'quick')?.attempts).toBe(1);
  expect(await bench.repo.git('worktree', 'list')).not.toContain('\n');
  // What the killed agent had not committed is kept, and the next try was told where.
  const task = JSON.parse((await bench.baton(['task', 'slow', '--json'])).stdout) as {
    attempts: { salvageRef: string | null }[];
  };
  expect(task.attempts[0]?.salvageRef).toMatch(/^refs\/baton\/salvage\//);
  const rescued = await bench.baton(['rescue', 'slow', '--json']);
  expect(JSON.parse(rescued.stdout)).toMatchObject({ salvage: [{ key: 'slow' }] });
});

test('Ctrl-C once stops the agents, gives their tasks back, says how to resume, and is exit code 130', async () => {
  await using bench = await createBench();
  const gate = path.join(bench.home, 'go');
  await bench.repo.write({ 'plan.yaml': slowPlan(gate) });
  const started = bench.start(['run', 'plan.yaml']);
  const agent = await agentAtWork(gate);
  started.child.kill('SIGINT');
  const ended = await started.ended;
  expect(ended.exitCode).toBe(130);
  expect(ended.stderr).toContain('Stopping the agents');
  expect(ended.stderr).toMatch(/baton run --resume slow-[a-z0-9]{4}/);
  expect(processStartTime(agent)).toBeUndefined();
  expect(await bench.hasServer()).toBe(false);
  const rescued = await bench.baton(['rescue', 'slow', '--json']);
  expect(JSON.parse(rescued.stdout)).toMatchObject({ salvage: [{ key: 'slow' }] });
  await finishes(bench, gate);
});

test(
  'Ctrl-C twice ends at once even when an agent does not listen, and leaves no agent behind',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const gate = path.join(bench.home, 'go');
    await bench.repo.write({ 'plan.yaml': slowPlan(gate, { ignoreSigterm: true }) });
    const started = bench.start(['run', 'plan.yaml', '--json']);
    const agent = await agentAtWork(gate);
    started.child.kill('SIGINT');
    await until(() => started.stderr().includes('Stopping the agents'), {
      what: 'the first Ctrl-C is heard',
      timeoutMs: 30_000,
    });
    started.child.kill('SIGINT');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(130);
    const result = JSON.parse(ended.stdout) as { runId: string; resume: string };
    expect(result).toMatchObject({ interrupted: true, left: expect.arrayContaining(['slow']) as unknown });
    expect(result.resume).toMatch(/^baton run --resume slow-[a-z0-9]{4}$/);
    const told = ended.stderr.split('\n').filter((line) => line.startsWith('Ended at once.'));
    expect(told).toEqual([expect.stringMatching(new RegExp(`\\(${result.runId}\\): .*slow`))]);
    expect(told[0]).toContain(`\`${result.resume}\``);
    await gone(agent);
    expect(await bench.hasServer()).toBe(false);
    await finishes(bench, gate);
  },
);

test(
  'a run that a living process carries out is refused to a second one, and `baton stop` ends the first',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const gate = path.join(bench.home, 'go');
    await bench.repo.write({ 'plan.yaml': slowPlan(gate) });
    const started = bench.start(['run', 'plan.yaml']);
    await agentAtWork(gate);
    const second = await bench.baton(['run', '--resume']);
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain(`is being carried out by process ${started.pid}`);
    expect(second.stderr).toContain('error RUN_BUSY');
    const stopped = await bench.baton(['stop', '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ workers: [{ pid: started.pid }] });
    expect((await started.ended).exitCode).toBe(130);
    await finishes(bench, gate);
  },
);

test('--resume with nothing unfinished says so', async () => {
  await using bench = await createBench();
  const ended = await bench.baton(['run', '--resume']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error NOT_FOUND: No run of this repository is unfinished.');
});
