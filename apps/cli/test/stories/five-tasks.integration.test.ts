import { glob, readFile } from 'node:fs/promises';

import { diffSnapshots } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

const fiveTasks = planOf(
  'five',
  [
    {
      key: 'one',
      agent: writes('docs/one.md', 'one\n'),
      files: ['docs/one.md'],
      signals: [{ type: 'path_exists', path: 'docs/one.md' }],
    },
    { key: 'two', agent: writes('docs/two.md', 'two\n'), files: ['docs/two.md'] },
    {
      key: 'three',
      agent: writes('src/three.js', 'module.exports = 3;\n'),
      files: ['src'],
      depends_on: ['one'],
    },
    {
      key: 'four',
      agent: writes('src/four.js', 'module.exports = 4;\n'),
      files: ['src'],
      depends_on: ['three'],
    },
    {
      key: 'five',
      agent: writes('five.txt', 'five\n'),
      signals: [{ type: 'file_contains', path: 'five.txt', text: 'five' }],
    },
  ],
  { gates: [{ name: 'syntax', command: ['node', '--check', 'index.js'] }] },
);

test('five tasks by commands land on an integration branch, and the user’s repository is as it was', async () => {
  await using bench = await createBench({
    'index.js': '1;\n',
    'plan.yaml': fiveTasks,
    '.gitignore': 'ignored\n',
  });
  await bench.repo.write({ 'untracked.txt': 'mine\n', ignored: 'mine, too\n' });
  const before = await bench.repo.snapshot();
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(ended.stderr).not.toContain('error');
  expect(ended.exitCode).toBe(0);

  const result = JSON.parse(ended.stdout) as RunResult;
  expect(Object.keys(result)).toEqual([
    'runId',
    'status',
    'target',
    'tasks',
    'costMicroUsd',
    'unmeasuredMicroUsd',
    'unmeasured',
    'unmeasuredReason',
    'durationMs',
  ]);
  expect(result.status).toBe('done');
  expect(result.tasks.map(({ key, status, attempts }) => [key, status, attempts])).toEqual(
    ['one', 'two', 'three', 'four', 'five'].map((key) => [key, 'CLOSED', 1]),
  );
  const landed = await bench.repo.git('log', '--format=%H', `main..${result.target}`);
  expect(landed.split('\n').sort()).toEqual(result.tasks.map((task) => task.commit).sort());
  expect(await bench.repo.git('ls-tree', '-r', '--name-only', result.target)).toBe(
    [
      '.gitignore',
      'docs/one.md',
      'docs/two.md',
      'five.txt',
      'index.js',
      'plan.yaml',
      'src/four.js',
      'src/three.js',
    ].join('\n'),
  );

  const except = [/^ref refs\/heads\/baton\//, /^ref refs\/baton\//];
  expect(diffSnapshots(before, await bench.repo.snapshot(), { except })).toEqual([]);
});

test(
  'without --json the log shows each start and landing, the summary where the work is and what to do next',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'index.js': '1;\n', 'plan.yaml': fiveTasks });
    const ended = await bench.baton(['run', 'plan.yaml']);
    expect(ended.exitCode).toBe(0);
    for (const key of ['one', 'two', 'three', 'four', 'five']) {
      expect(ended.stderr).toMatch(new RegExp(`▶ started +${key} `));
      expect(ended.stderr).toMatch(new RegExp(`✔ landed +${key} +[0-9a-f]{9} in `));
    }
    expect(ended.stdout).toMatch(/✔ five-[a-z0-9]{4} is done: 5 of 5 tasks landed · 5 attempts/);
    expect(ended.stdout).toMatch(/baton merge five-[a-z0-9]{4}/);
  },
);

/** The processes that end what a command of this number leaves. */
async function guardsOf(pid: number): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob('[0-9]*/cmdline', { cwd: '/proc' })) {
    const line = await readFile(`/proc/${file}`, 'utf8').catch(() => '');
    if (line.includes('reaper-main') && line.includes(`:${pid}:`)) found.push(line);
  }
  return found;
}

test(
  'the reading commands answer afterwards, and no database server stays behind',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'index.js': '1;\n', 'plan.yaml': fiveTasks });
    const run = await bench.baton(['run', 'plan.yaml', '--json']);
    const result = JSON.parse(run.stdout) as RunResult;
    const read = async (...args: string[]) => {
      const ended = await bench.call([...args, '--json']);
      expect(ended, args.join(' ')).toMatchObject({ exitCode: 0, stderr: '' });
      return JSON.parse(ended.stdout) as Record<string, unknown>;
    };
    expect(await read('runs')).toMatchObject({ runs: [{ id: result.runId, status: 'done' }] });
    expect(await read('status')).toMatchObject({ run: { id: result.runId }, explanations: [] });
    // A guard outlives its command by a second at least.
    const status = bench.start(['status', '--json']);
    expect(await status.ended).toMatchObject({ exitCode: 0 });
    expect(await guardsOf(status.pid), 'a command that only reads needs none').toEqual([]);
    expect((await read('tasks'))['tasks']).toHaveLength(5);
    expect(await read('task', 'one')).toMatchObject({
      task: { key: 'one' },
      commit: result.tasks[0]?.commit,
      attempts: [{ number: 1 }],
    });
    expect(await read('explain', 'one')).toMatchObject({ key: 'one', settled: true, cause: 'settled' });
    expect(await read('cost')).toMatchObject({ costMicroUsd: 0 });
    expect(await read('verify-audit')).toMatchObject({ broken: [] });
    expect(await read('workers')).toEqual({ workers: [] });
    expect((await read('diff', '--stat'))['commits']).toHaveLength(5);
    expect(await read('merge', '--dry-run')).toMatchObject({ kind: 'would_fast_forward', into: 'main' });
    expect(await read('merge')).toMatchObject({ kind: 'fast_forward' });
    expect(await bench.repo.git('status', '--porcelain')).toBe('');
    expect((await read('clean'))['removed']).toContainEqual(
      expect.objectContaining({ ref: `refs/heads/${result.target}` }),
    );
    const logs = await bench.baton(['logs', 'one', '--json']);
    expect(
      logs.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: { type: string } }).event.type),
    ).toContain('finished');
    expect(await bench.hasServer()).toBe(false);
  },
);
