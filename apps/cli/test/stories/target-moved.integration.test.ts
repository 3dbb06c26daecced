import { execFileSync } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import type { Explanation } from '@baton/task-store';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench, type Bench, type Started } from '../support/bench.ts';
import { planOf, waits, writes } from '../support/plans.ts';

const steps = (gate: string) => [
  { key: 'one', agent: writes('one.txt', 'one\n') },
  { key: 'two', agent: writes('two.txt', 'two\n'), depends_on: ['one'] },
  { key: 'slow', agent: waits('slow.txt', { gate }), depends_on: ['two'] },
  { key: 'last', agent: writes('last.txt', 'last\n'), depends_on: ['slow'] },
];

/** A run with two tasks landed and the third at work. */
async function midway(
  bench: Bench,
): Promise<{ started: Started; gate: string; slug: string; target: string }> {
  const gate = path.join(bench.home, 'go');
  await bench.repo.write({ 'plan.yaml': planOf('cut', steps(gate)) });
  const started = bench.start(['run', 'plan.yaml', '--json']);
  await until(() => readFile(`${gate}.started`, 'utf8'), { what: 'slow is at work', timeoutMs: 120_000 });
  const slug = /^(cut-\w{4}): /m.exec(started.stderr())?.[1] ?? '';
  return { started, gate, slug, target: `baton/${slug}` };
}

const explained = async (bench: Bench, task: string) =>
  JSON.parse((await bench.call(['explain', task, '--json'])).stdout) as Explanation;

test(
  'a target that its owner deletes pauses the run with the command that brings it back, and the run then completes',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const { started, gate, slug, target } = await midway(bench);
    const landed = await bench.repo.git('rev-parse', target);
    await bench.repo.git('branch', '-D', target);
    await writeFile(gate, '');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(3);
    const result = JSON.parse(ended.stdout) as RunResult;
    expect(result).toMatchObject({ status: 'paused', lost: { kind: 'deleted' } });
    expect(result.lost?.tasks.map(({ key }) => key)).toEqual(['one', 'two']);
    expect(result.lost?.restore).toBe(`git branch ${target} ${landed}`);
    for (const key of ['slow', 'last']) {
      const told = await explained(bench, key);
      expect(told).toMatchObject({
        cause: 'target_moved',
        owner: 'a person',
        unblock: `git branch ${target} ${landed} && baton run --resume ${slug}`,
      });
      expect(told.text).toContain(`git branch ${target} ${landed}`);
    }
    // No try was used up, and nobody made the branch anew without the work.
    const { tasks } = JSON.parse((await bench.call(['tasks', '--json'])).stdout) as {
      tasks: { key: string; tries: number }[];
    };
    expect(tasks.every(({ tries }) => tries <= 1)).toBe(true);
    const refused = await bench.call(['run', '--resume', slug]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/error TARGET_MOVED: The target branch \S+ was deleted/);
    const resumed = await bench.baton(['run', '--resume', slug, '--restore-target', '--json']);
    expect(resumed.exitCode).toBe(0);
    const subjects = await bench.repo.git('log', '--reverse', '--format=%s', `main..${target}`);
    expect(subjects.split('\n')).toEqual(['one', 'two', 'slow', 'last']);
  },
);

test(
  'a target that its owner moves back is reported, whatever landed before, and is put back by hand as well',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const { started, gate, slug, target } = await midway(bench);
    await bench.repo.git('branch', '-f', target, `${target}~1`);
    await writeFile(gate, '');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(3);
    const { lost } = JSON.parse(ended.stdout) as RunResult;
    expect(lost).toMatchObject({ kind: 'behind', tasks: [{ key: 'two' }] });
    await bench.repo.git(...(lost?.restore.split(' ').slice(1) ?? []));
    const resumed = await bench.baton(['run', '--resume', slug, '--json']);
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'done' });
    expect(resumed.stdout).not.toContain('lost');
  },
);

test('a finished run whose target lost commits is not called done: which are missing, how to restore, exit code 1', async () => {
  await using bench = await createBench();
  const { started, gate, slug, target } = await midway(bench);
  await writeFile(gate, '');
  expect((await started.ended).exitCode).toBe(0);
  const landed = await bench.repo.git('rev-parse', target);
  await bench.repo.git('branch', '-f', target, `${target}~2`);
  const { stdout } = await bench.call(['status', slug]);
  expect(stdout).toContain(`slow, last landed on ${target}, and are not there any more`);
  expect(stdout).toContain(`git branch -f ${target} ${landed}`);
  await bench.repo.git('branch', '-D', target);
  const { lost } = JSON.parse((await bench.call(['status', slug, '--json'])).stdout) as RunResult;
  expect(lost?.tasks).toHaveLength(4);
  await bench.repo.git(...(lost?.restore.split(' ').slice(1) ?? []));
  expect(JSON.parse((await bench.call(['status', slug, '--json'])).stdout)).toMatchObject({ lost: null });
});

test(
  'another repository in place of the former is called that, and each way out works',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const { started, gate, slug, target } = await midway(bench);
    const landed = await bench.repo.git('rev-parse', target);
    const [here, former] = [bench.repo.path, `${bench.home}/former.git`];
    await rename(path.join(here, '.git'), former);
    await bench.repo.git('init', '--quiet', '--initial-branch=main');
    for (const setting of ['user.name', 'user.email'])
      await bench.repo.git('config', setting, 'p@example.org');
    await bench.repo.commit({ 'new.txt': 'new\n' }, 'another beginning');
    await writeFile(gate, '');
    const ended = await started.ended;
    expect(ended.exitCode).toBe(3);
    const { lost } = JSON.parse(ended.stdout) as RunResult;
    expect(lost).toMatchObject({ kind: 'replaced', tasks: [{ key: 'one' }, { key: 'two' }] });
    expect(ended.stderr).toContain('Put the former repository back');
    const told = await explained(bench, 'last');
    expect(told.text).toContain(`${here} is another repository than the one that the run began in`);
    const refused = await bench.call(['run', '--resume', slug, '--restore-target']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/error REPO_CHANGED: .*`baton cancel cut-/s);
    execFileSync('bash', ['-c', lost?.restore ?? 'false'], { cwd: here });
    expect(
      execFileSync('git', ['rev-parse', 'HEAD'], { cwd: `${here}-before` })
        .toString()
        .trim(),
    ).toBe(landed);
    await rm(`${here}-before`, { recursive: true });
    await rename(path.join(here, '.git'), `${bench.home}/new.git`);
    await rename(former, path.join(here, '.git'));
    const resumed = await bench.baton(['run', '--resume', slug, '--json']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'done' });
    expect(resumed.stdout).not.toContain('lost');
    // Where the former one is given up, the new one is worked in like any other.
    await rename(path.join(here, '.git'), former);
    await rename(`${bench.home}/new.git`, path.join(here, '.git'));
    await bench.repo.write({ 'plan.yaml': planOf('new', [{ key: 'one', agent: writes('one.txt', '1\n') }]) });
    expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
  },
);
