import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

const execFileAsync = promisify(execFile);

test('steps with labels are done by the worker of the run itself', async () => {
  await using bench = await createBench({
    'plan.yaml': planOf('labelled', [{ key: 'a', agent: writes('a.txt', 'a\n'), labels: ['gpu', 'linux'] }]),
  });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
});

test('a plan comes on standard input, and its mistakes are reported by line', async () => {
  await using bench = await createBench();
  const plan = planOf('piped', [{ key: 'a', agent: writes('a.txt', 'a\n') }]);
  const wrong = await bench.baton(['plan', 'check', '-'], { stdin: plan.replace('stages', 'stagges') });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('standard input:2:1 stagges: unknown key "stagges"; did you mean "stages"?');
  const ended = await bench.baton(['run', '-', '--json'], { stdin: plan });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect((JSON.parse(ended.stdout) as RunResult).tasks).toMatchObject([{ key: 'a', status: 'CLOSED' }]);
  expect((await bench.baton(['run', '-'])).stderr).toContain(
    'error PLAN_EMPTY: standard input holds no steps.',
  );
});

for (const [cases, tagged] of inParts(1, [' spaces around ', 'new\nline', `quo"te's ☃`, '-dash']))
  test.each(cases)('a repository in a folder named %j gets its work like any other', tagged, async (name) => {
    await using bench = await createBench({
      'plan.yaml': planOf('odd', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
    });
    const cwd = path.join(bench.home, 'of the user', name);
    await execFileAsync('git', ['clone', '--quiet', '--', bench.repo.path, cwd]);
    const ended = await bench.baton(['run', 'plan.yaml', '--json'], { cwd });
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { target } = JSON.parse(ended.stdout) as RunResult;
    const { stdout } = await execFileAsync('git', ['show', `${target}:a.txt`], { cwd });
    expect(stdout).toBe('a\n');
  });

test('an agent that ends itself by a signal has used up its try', { tags: ['long'] }, async () => {
  const suicidal = {
    command: ['node', '-e', `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e3)`],
  };
  await using bench = await createBench({
    'plan.yaml': planOf('suicidal', [{ key: 'a', agent: suicidal, max_retries: 0 }]),
  });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(1);
  expect((JSON.parse(ended.stdout) as RunResult).tasks).toMatchObject([{ status: 'FAILED', attempts: 1 }]);
});

test(
  'an agent that prints bytes which are no text is done at its first try',
  { tags: ['long'] },
  async () => {
    const noisy = {
      command: [
        'node',
        '-e',
        `require('node:fs').writeFileSync('a.txt', 'a'); process.stdout.write(Buffer.from([0, 255, 0xd8, 10, 0, 65]));`,
      ],
    };
    await using bench = await createBench({ 'plan.yaml': planOf('noisy', [{ key: 'a', agent: noisy }]) });
    const ended = await bench.baton(['run', 'plan.yaml', '--json']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect((JSON.parse(ended.stdout) as RunResult).tasks).toMatchObject([{ status: 'CLOSED', attempts: 1 }]);
  },
);

test('a repository of the sha256 format gets its work like any other', { tags: ['long'] }, async () => {
  await using bench = await createBench({ 'readme.txt': 'unused\n' });
  const repo = path.join(bench.home, 'sha256');
  const git = (...args: string[]) =>
    execFileAsync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repo });
  await mkdir(repo);
  await git('init', '--quiet', '--object-format=sha256', '--initial-branch=main');
  await writeFile(
    path.join(repo, 'plan.yaml'),
    planOf('long', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
  );
  await git('add', '--all');
  await git('commit', '--quiet', '--message=init');
  const ended = await bench.baton(['run', 'plan.yaml', '--json'], { cwd: repo });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { target } = JSON.parse(ended.stdout) as RunResult;
  expect((await git('show', `${target}:a.txt`)).stdout).toBe('a\n');
});

test(
  'a gate whose paths name nothing is warned of by check and run, with the name that is meant, and the run lands without it',
  { tags: ['long'] },
  async () => {
    const gates = [{ name: 'tests', command: ['test', '!', '-e', 'src/a.txt'], paths: ['SRC'] }];
    await using bench = await createBench({
      'src/x.txt': 'x\n',
      'plan.yaml': planOf('letters', [{ key: 'a', agent: writes('src/a.txt', 'a\n') }], { gates }),
    });
    const warning =
      'gates.0.paths.0: nothing in the repository is called SRC (there is src); as long as that is so, no change is below SRC.';
    const checked = await bench.call(['plan', 'check', 'plan.yaml', '--json']);
    expect(checked.exitCode, checked.stderr).toBe(0);
    expect((JSON.parse(checked.stdout) as { warnings: string[] }).warnings).toContain(warning);
    expect(checked.stderr).toContain(warning);
    const ended = await bench.baton(['run', 'plan.yaml', '--json']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(warning);
    await bench.repo.write({
      'plan.yaml': (await readFile(path.join(bench.repo.path, 'plan.yaml'), 'utf8')).replace('SRC', 'src'),
    });
    const right = await bench.call(['plan', 'check', 'plan.yaml']);
    expect(right.stderr).not.toContain('gates.0.paths');
    expect((await bench.baton(['run', 'plan.yaml'])).exitCode).not.toBe(0);
  },
);
