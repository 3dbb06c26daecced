import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { exampleDraft } from '../../src/run/planning.ts';
import { createBench } from '../support/bench.ts';

const run = promisify(execFile);

/** Plans badly at first, and as it was told to when its plan was refused; does the steps of plans as well. */
const agent = `
import { readFileSync, writeFileSync } from 'node:fs';
const task = JSON.parse(readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
const good = {
  name: 'greetings',
  stages: [{ name: 'all', steps: [
    { key: 'hello', title: 'Write hello.txt', goal: 'hello.txt holds hello', files: ['hello.txt'] },
    { key: 'bye', title: 'Write bye.txt', files: ['bye.txt'], depends_on: ['hello'],
      signals: [{ type: 'command_succeeds', command: ['test', '-s', 'bye.txt'] }] },
  ] }],
};
if (task.key !== 'plan') writeFileSync(task.files[0], task.key);
else if (task.rejections.length === 0) writeFileSync('baton-plan.yaml', 'name: greetings\\nsteps: []\\n');
else if (!/steps/.test(task.rejections[0])) throw new Error(task.rejections[0]);
else writeFileSync('baton-plan.yaml', JSON.stringify(good, undefined, 2));
`;

const files = {
  'agent.mjs': agent,
  'baton.yaml': `agents:\n  hand: { command: [node, agent.mjs] }\nagent: hand\ngates:\n  - { name: never, command: ['false'] }\n`,
};

test(
  'baton plan "goal" gets a plan from an agent, has it mended until plan check takes it, and starts nothing of it',
  { timeout: 120_000 },
  async () => {
    await using bench = await createBench(files);
    const written = await bench.baton(['plan', 'greet and say goodbye', '--yes', '--json']);
    expect(written.exitCode, written.stderr).toBe(0);
    const result = JSON.parse(written.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({
      file: path.join(bench.repo.path, 'plan.yaml'),
      tasks: [
        { key: 'hello', dependsOn: [] },
        { key: 'bye', dependsOn: ['hello'] },
      ],
      commands: [{ at: 'stages.0.steps.1.signals.0.command', argv: ['test', '-s', 'bye.txt'] }],
    });
    expect(await readFile(path.join(bench.repo.path, 'plan.yaml'), 'utf8')).toBe(result['plan']);
    expect((await bench.repo.git('status', '--porcelain')).trim()).toBe('?? plan.yaml');
    const [task] = (JSON.parse((await bench.call(['tasks', '--json'])).stdout) as { tasks: unknown[] }).tasks;
    expect(task).toMatchObject({ key: 'plan', status: 'CLOSED' });
    const checked = await bench.call(['plan', 'check', 'plan.yaml']);
    expect(checked.exitCode, checked.stderr).toBe(0);
    // The plan is carried out with what the repository says: its gate is red, and holds it.
    expect((await bench.call(['run', 'plan.yaml', '--dry-run', '--json'])).stdout).toContain('"never"');
    const run = await bench.baton(['run', 'plan.yaml', '--allow-red', 'never', '--json']);
    expect(run.exitCode, run.stderr).toBe(0);

    const again = await bench.baton(['plan', 'greet and say goodbye', '--yes']);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stdout).toContain('Written to plan-greet-and-say-goodbye.yaml');
    expect(again.stdout).toContain('Commands it would run: test -s bye.txt');
    const offered = [...again.stdout.matchAll(/\$ baton (.+)/g)].map(([, line = '']) => line.split(' '));
    expect(offered).toHaveLength(2);
    for (const words of offered) {
      const done = await bench.call([...words, ...(words[0] === 'run' ? ['--dry-run'] : [])]);
      expect(done.exitCode, done.stderr).toBe(0);
    }
    const printed = await bench.baton(['plan', 'greet and say goodbye', '--yes', '--output', '-']);
    expect(printed.exitCode, printed.stderr).toBe(0);
    expect(parse(printed.stdout)).toMatchObject({ name: 'greetings' });
  },
);

test(
  'planning that was interrupted continues to its plan',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using folder = await tempDir();
    const hold = path.join(folder.path, 'hold');
    await writeFile(hold, '');
    const waiting = `import { existsSync } from 'node:fs';\nwhile (existsSync(${JSON.stringify(hold)})) await new Promise((next) => setTimeout(next, 50));\n${agent}`;
    await using bench = await createBench({ ...files, 'agent.mjs': waiting });
    const started = bench.start(['plan', 'greet and say goodbye', '--yes']);
    await until(() => /started +plan/.test(started.stderr()), { what: 'the agent plans', timeoutMs: 60_000 });
    started.child.kill('SIGINT');
    expect((await started.ended).exitCode).toBe(130);
    // Both names are taken by now: what is paid for gets another.
    for (const name of ['plan.yaml', 'plan-greet-and-say-goodbye.yaml'])
      await writeFile(path.join(bench.repo.path, name), 'mine\n');
    await rm(hold);
    const resumed = await bench.baton(['run', '--resume']);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.stdout).toContain('Written to plan-greet-and-say-goodbye-2.yaml');
    const written = path.join(bench.repo.path, 'plan-greet-and-say-goodbye-2.yaml');
    expect(await readFile(written, 'utf8')).toContain('greetings');
    expect(await readFile(path.join(bench.repo.path, 'plan.yaml'), 'utf8')).toBe('mine\n');
  },
);

test(
  'a plan whose file appeared during planning goes beside it, and one that cannot be written is on its branch',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using bench = await createBench(files);
    const draft = path.join(bench.repo.path, 'draft.yaml');
    const gone = path.join(bench.repo.path, 'gone');
    const act = async (what: string) => {
      await bench.repo.commit(
        { 'agent.mjs': `import { rmSync, writeFileSync as put } from 'node:fs';\n${what};\n${agent}` },
        what,
      );
    };
    await act(`put(${JSON.stringify(draft)}, 'mine')`);
    const beside = await bench.baton(['plan', 'greet and say goodbye', '--yes', '--output', 'draft.yaml']);
    expect([beside.exitCode, beside.stdout], beside.stderr).toEqual([
      0,
      expect.stringContaining('Written to draft-2.yaml'),
    ]);
    expect(await readFile(draft, 'utf8')).toBe('mine');
    await mkdir(gone);
    await act(`rmSync(${JSON.stringify(gone)}, { recursive: true, force: true })`);
    const lost = await bench.baton(['plan', 'greet and say goodbye', '--yes', '--output', 'gone/plan.yaml']);
    expect(lost.exitCode).toBe(2);
    const [, saved = ''] = /`(git show [^`]+) > FILE`/.exec(lost.stderr.replaceAll(/\n\s+/g, ' ')) ?? [];
    const { stdout } = await run('sh', ['-c', saved], { cwd: bench.repo.path });
    expect(parse(stdout)).toMatchObject({ name: 'greetings' });
  },
);

test('a goal that cannot be planned is refused before anything is paid for', async () => {
  await using bench = await createBench(files);
  await writeFile(path.join(bench.repo.path, 'there.yaml'), 'mine\n');
  const goal = 'greet and say goodbye';
  for (const [args, said] of [
    [[], /The goal is empty.*baton plan "/s],
    [['greet'], /"greet" is no goal/],
    [['chekc'], /did you mean "check"/],
    [[goal, '--output', 'there.yaml'], /there\.yaml is already there.*--output/s],
    [[goal, '--output', 'nowhere/plan.yaml'], /There is no folder/],
    [[goal, '--agent', 'hond'], /did you mean "hand"/],
    [[goal, '--budget', 'much'], /US dollars/],
  ] as const) {
    const { exitCode, stderr } = await bench.call(['plan', ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(said)]);
  }
  expect(await readFile(path.join(bench.repo.path, 'there.yaml'), 'utf8')).toBe('mine\n');
  const dry = await bench.call(['plan', goal, '--dry-run']);
  expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('baton-plan.yaml')]);
  await bench.repo.commit({ 'baton-plan.yaml': 'ours\n' }, 'ours');
  expect((await bench.call(['plan', goal])).stderr).toContain('This repository has a file baton-plan.yaml');
});

test('the example that planning agents are shown is a plan', async () => {
  await using bench = await createBench();
  await writeFile(path.join(bench.repo.path, 'example.yaml'), exampleDraft);
  const { exitCode, stderr } = await bench.call(['plan', 'check', 'example.yaml', '--file-only']);
  expect(exitCode, stderr).toBe(0);
});
