import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { processStartTime, until } from '@baton/testkit';
import type { Explanation } from '@baton/task-store';
import { expect, test } from 'vitest';

import { createBench, type Bench } from '../support/bench.ts';
import { planOf, waits } from '../support/plans.ts';

const steps = (gate: string, prefix: string) => [
  { key: 'one', agent: waits(`${prefix}-one.txt`, { gate }) },
  { key: 'two', agent: waits(`${prefix}-two.txt`, { gate: `${gate}-two` }) },
  { key: 'last', agent: waits(`${prefix}-last.txt`, { gate }), depends_on: ['one'] },
];

async function atWork(gate: string): Promise<number> {
  return until(async () => Number(await readFile(`${gate}.started`, 'utf8')), {
    what: 'the agent is at work',
    timeoutMs: 120_000,
  });
}

/** Starts a run and kills its process without a word while two agents are at work. */
async function killed(bench: Bench, name: string): Promise<string> {
  const gate = path.join(bench.home, name);
  await bench.repo.write({ [`${name}.yaml`]: planOf(name, steps(gate, name)) });
  const started = bench.start(['run', `${name}.yaml`, '--capacity', '2']);
  const agents = [await atWork(gate), await atWork(`${gate}-two`)];
  started.child.kill('SIGKILL');
  await started.ended;
  for (const pid of agents)
    await until(() => processStartTime(pid) === undefined, {
      what: 'the agents are gone',
      timeoutMs: 30_000,
    });
  const slug = /^(\S+): 3 tasks/m.exec(started.stderr())?.[1];
  return slug ?? '';
}

const explained = async (bench: Bench, task: string) =>
  JSON.parse((await bench.call(['explain', task, '--json'])).stdout) as Explanation;

test(
  'right after kill -9 each view says that no process carries the run, and what does',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const slug = await killed(bench, 'lonely');
    const command = `baton run --resume ${slug}`;
    for (const key of ['one', 'two', 'last']) {
      const told = await explained(bench, key);
      expect(told).toMatchObject({ cause: 'not_carried', owner: 'a person', unblock: command, until: null });
      expect(told.text).toMatch(
        new RegExp(`^No process carries ${slug} out: worker \\S+ \\(process \\d+ on \\S+\\) has ended\\.$`),
      );
    }
    for (const view of [['status'], ['runs'], ['tasks'], ['task', 'one'], ['rescue'], ['explain', 'one']]) {
      const { stdout, stderr, exitCode } = await bench.call(view);
      expect(exitCode, view.join(' ')).toBe(0);
      expect(stdout + stderr, view.join(' ')).toContain(command);
      expect(stdout, view.join(' ')).not.toMatch(/sweeper|Nothing was left behind|\(in \d/);
    }
    expect((await bench.call(['status'])).stdout).toMatch(/‖ not carried/);
    expect((await bench.call(['status'])).stdout).not.toMatch(/● running {2}0 of 3/);
    // What is offered is typed as it stands, and the run completes.
    for (const gate of ['lonely', 'lonely-two']) await writeFile(path.join(bench.home, gate), '');
    const carried = await bench.baton(command.split(' ').slice(1));
    expect(carried.exitCode, carried.stderr).toBe(0);
    expect(await explained(bench, 'last')).toMatchObject({ cause: 'settled', status: 'CLOSED' });
  },
);

test('work in the worktree of a run that was killed and then canceled is named with its place', async () => {
  await using bench = await createBench();
  const slug = await killed(bench, 'gone');
  expect((await bench.call(['cancel', slug])).exitCode).toBe(0);
  const told = await bench.call(['rescue', 'one', '--json']);
  const { unsaved } = JSON.parse(told.stdout) as { unsaved: { key: string; path: string }[] };
  expect(unsaved).toMatchObject([{ key: 'one' }]);
  const { stdout } = await bench.call(['rescue', 'one']);
  expect(stdout).toContain(`What the agent of one left is still in ${unsaved[0]?.path ?? '?'}`);
  expect(await readFile(path.join(unsaved[0]?.path ?? '', 'gone-one.txt'), 'utf8')).toContain(
    'written by one',
  );
}, 120_000);

test(
  'of two runs only the one whose process was killed is shown as not carried',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const dead = await killed(bench, 'dead');
    const gate = path.join(bench.home, 'alive');
    await bench.repo.write({ 'alive.yaml': planOf('alive', steps(gate, 'alive').slice(0, 2)) });
    const living = bench.start(['run', 'alive.yaml', '--capacity', '2']);
    await atWork(gate);
    const { stdout } = await bench.call(['runs']);
    expect(stdout).toMatch(new RegExp(`${dead} +‖ not carried`));
    expect(stdout).toMatch(/alive-\w{4} +● running/);
    const slug = /alive-\w{4}/.exec(stdout)?.[0] ?? '';
    expect(await explained(bench, `${dead}/one`)).toMatchObject({ cause: 'not_carried' });
    expect(await explained(bench, `${slug}/one`)).toMatchObject({ cause: 'running' });
    living.child.kill('SIGKILL');
    await living.ended;
    // Carried on, with its agents stopped at once: the way that is offered is allowed in this state.
    const resumed = await bench.start(['run', '--resume', dead, '--dry-run']).ended;
    expect(resumed.exitCode).toBe(0);
  },
);

test(
  'for a paused run that no process carries, explain offers to carry it on, which also ends the pause',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const slug = await killed(bench, 'paused');
    expect((await bench.call(['pause', slug])).exitCode).toBe(0);
    const told = await explained(bench, 'last');
    expect(told).toMatchObject({ cause: 'not_carried', unblock: `baton run --resume ${slug}` });
    expect(told.also).toContain('run_paused');
  },
);
