import { execFileSync } from 'node:child_process';
import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench, type Ended } from '../support/bench.ts';
import { fakeProgram } from '../support/fake-program.ts';
import { planOf, writes } from '../support/plans.ts';

/** The command lines in backticks that a text offers, without `baton`. */
const offered = ({ stderr }: Pick<Ended, 'stderr'>): string[][] =>
  [...stderr.matchAll(/`baton (run --resume [^`]+)`/g)].map(([, line = '']) => line.split(' '));

/** Tries that failed and counted, of all tasks of the newest run. */
async function tries(bench: Bench): Promise<number[]> {
  const { stdout } = await bench.call(['tasks', '--json']);
  return (JSON.parse(stdout) as { tasks: { tries: number }[] }).tasks.map((task) => task.tries);
}

const gates = [{ name: 'tests', command: ['node', '-e', "require('node:fs').accessSync('green')"] }];
const redPlan = planOf('red', [{ key: 'a', agent: writes('a.txt', 'a\n') }], { gates });

test('a run on a red base or with a broken set-up is held, uncounted, and --resume looks again and goes on', async () => {
  await using bench = await createBench({
    'plan.yaml': redPlan,
    'baton.yaml': 'workspace: { setup: ["node", "-e", "process.exit(7)"] }\n',
  });
  const unmade = await bench.baton(['run', 'plan.yaml']);
  expect(unmade.exitCode, unmade.stderr).toBe(2);
  expect(unmade.stderr).toContain('error SETUP_FAILED');
  const [resume = []] = offered(unmade);

  await bench.repo.write({ 'baton.yaml': 'workspace: { setup: ["node", "-e", "0"] }\n' });
  const red = await bench.baton(resume);
  expect(red.exitCode, red.stderr).toBe(2);
  expect(red.stderr).toContain('error BASE_RED');
  const status = await bench.call(['status']);
  expect(status.stdout).toContain('paused');
  expect(status.stdout).toContain(`baton ${resume.join(' ')}`);
  const why = await bench.call(['explain', 'a', '--json']);
  expect(JSON.parse(why.stdout)).toMatchObject({
    cause: 'run_paused',
    unblock: `baton ${resume.join(' ')}`,
  });
  const [again, allowing = []] = offered(red);
  expect(again).toEqual(resume);
  expect(allowing).toEqual([...resume, '--allow-red', 'tests']);

  // Without a change the same is found, not merely told again; once it is committed, it is taken as the base.
  expect((await bench.baton(['run', '--resume'])).stderr).toContain('error BASE_RED');
  const mended = await bench.repo.commit({ green: '' }, 'mended');
  const ended = await bench.baton(resume);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toContain(`(base ${mended.slice(0, 9)})`);
  expect(await tries(bench)).toEqual([0]);
  expect(await bench.hasServer()).toBe(false);
});

test('a held run goes on with the red gate that its own hint allows', { tags: ['long'] }, async () => {
  await using bench = await createBench({ 'plan.yaml': redPlan });
  const red = await bench.baton(['run', 'plan.yaml']);
  expect(red.exitCode).toBe(2);
  const wrong = await bench.call(['run', '--resume', '--allow-red', 'test']);
  expect(wrong.stderr).toContain('There is no gate "test"');
  const [, allowing = []] = offered(red);
  const ended = await bench.baton([...allowing, '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
});

test(
  'finished work waits, uncounted, while a gate is red on its target as well, and the hint of the run lands it',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const down = path.join(bench.home, 'down');
    const steps = [
      { key: 'a', agent: writes('a.txt', 'a\n') },
      { key: 'b', agent: { command: ['sh', '-c', `touch ${down}; echo b > b.txt`] }, depends_on: ['a'] },
    ];
    const service = [{ name: 'service', command: ['sh', '-c', `! ls ${down}`] }];
    await bench.repo.write({ 'plan.yaml': planOf('outage', steps, { gates: service }) });
    const held = await bench.baton(['run', 'plan.yaml']);
    expect(held.exitCode, held.stderr).toBe(3);
    expect(held.stdout).toContain('1 of 2 tasks landed');
    expect(held.stdout).toMatch(/gate service is red|red on [0-9a-f]{9}, the head of baton\//);
    const [resume = []] = offered(held);
    const why = JSON.parse((await bench.call(['explain', 'b', '--json'])).stdout) as Record<string, unknown>;
    expect(why).toMatchObject({
      cause: 'landing_failed',
      owner: 'a person',
      unblock: `baton ${resume.join(' ')}`,
    });
    const again = await bench.baton(resume);
    expect(again.exitCode, again.stderr).toBe(3);
    await rm(down);
    const ended = await bench.baton(resume);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(await tries(bench)).toEqual([0, 0]);
    const { stdout } = await bench.call(['task', 'b', '--json']);
    expect((JSON.parse(stdout) as { attempts: unknown[] }).attempts).toHaveLength(1);
  },
);

test(
  'tasks of an agent that goes missing in the middle wait, others land, and the hint carries the run on',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const program = path.join(bench.home, 'agent');
    const script = '#!/bin/sh\ncat >/dev/null; echo b > b.txt\n';
    await writeFile(program, script);
    await chmod(program, 0o755);
    const steps = [
      { key: 'a', agent: { command: ['sh', '-c', `rm ${program}; echo a > a.txt`] } },
      { key: 'b', agent: { command: [program] }, depends_on: ['a'] },
      { key: 'c', agent: writes('c.txt', 'c\n'), depends_on: ['a'] },
    ];
    await bench.repo.write({ 'plan.yaml': planOf('expired', steps) });
    const waits = await bench.baton(['run', 'plan.yaml']);
    expect(waits.exitCode, waits.stderr).toBe(3);
    expect(waits.stdout).toContain('2 of 3 tasks landed');
    const [resume = []] = offered(waits);
    const still = await bench.call(resume);
    expect(still.stderr).toContain('error AGENT_MISSING');
    await writeFile(program, script);
    await chmod(program, 0o755);
    const ended = await bench.baton(resume);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(await tries(bench)).toEqual([0, 0, 0]);
  },
);

test(
  'a run whose repository cannot be cloned is held with the reason, costs no try, and goes on once it can',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('whole', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
    });
    const broken = path.join(bench.home, 'broken');
    await writeFile(broken, '');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    await using bin = await fakeProgram(
      'git',
      `case " $* " in *" clone "*) [ -e '${broken}' ] && echo 'fatal: the disk is on fire' >&2 && exit 128;; esac
exec '${real}' "$@"`,
    );
    const env = { PATH: `${bin.path}:${process.env['PATH'] ?? ''}` };
    const held = await bench.baton(['run', 'plan.yaml'], { env });
    expect(held.exitCode, held.stderr).toBe(2);
    expect(held.stderr).toMatch(/error GIT_FAILED[^]*the disk is on fire/);
    const [resume = []] = offered(held);
    expect(await tries(bench)).toEqual([0]);
    await rm(broken);
    const ended = await bench.baton(resume, { env });
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(await tries(bench)).toEqual([0]);
  },
);
