import { PassThrough } from 'node:stream';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { runCli } from '../../src/cli.ts';
import { loadCommands } from '../../src/commands.ts';
import { createBench, type Bench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';
import { startAtTerminal } from '../support/terminal.ts';

/** Runs a command line at a terminal, with a person who answers the first question. */
async function atTerminal(bench: Bench, args: readonly string[], answer: { to: string; with: string }) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 });
  let shown = '';
  stderr.on('data', (chunk: Buffer) => (shown += String(chunk)));
  const running = runCli(args, {
    loadCommands,
    version: '0.0.0',
    streams: { stdin, stdout, stderr },
    variables: {
      PATH: process.env['PATH'] ?? '',
      HOME: bench.home,
      USER: 'tester',
      BATON_HOME: bench.home,
      BATON_POSTGRES_KEEP_SECONDS: '0',
    },
    cwd: bench.repo.path,
  });
  await until(() => shown.includes(answer.to), {
    what: `the question is asked: ${answer.to}`,
    timeoutMs: 120_000,
  });
  stdin.write(`${answer.with}\n`);
  return { exitCode: await running, stdout: String(stdout.read() ?? ''), shown };
}

const asks = (name: string) => planOf(name, [{ key: 'a', agent: writes('a.txt', 'a\n'), approval: true }]);

test('at a terminal finished work that needs a yes is asked about, and lands after one', async () => {
  await using bench = await createBench({ 'plan.yaml': asks('said-yes') });
  const ended = await atTerminal(bench, ['run', 'plan.yaml'], { to: 'Land it?', with: 'y' });
  expect(ended.exitCode, ended.shown).toBe(0);
  expect(ended.stdout).toMatch(/✔ .*said-yes-[a-z0-9]{4}.* is done: 1 of 1 task landed/);
  const task = await bench.call(['task', 'a', '--history', '--json']);
  expect(task.stdout).toContain('operator:tester');
});

/** Writes the colour that its prompt names last. */
const painter = {
  command: [
    'node',
    '-e',
    `const fs = require('node:fs');
const named = fs.readFileSync(0, 'utf8').match(/in (blue|green)/g) ?? ['in red'];
fs.writeFileSync('a.txt', named.at(-1) + '\\n');`,
  ],
};

test(
  'a no is asked for words, which reach the next try; without any there is none until `baton retry --say`',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('said-no', [{ key: 'a', agent: painter, approval: true }]),
    });
    const asked = startAtTerminal(bench, ['run', 'plan.yaml', '--max-retries', '1']);
    await asked.sees('Land it? a: ');
    asked.type('hm');
    await asked.sees('Land it? a: ');
    asked.type('n');
    await asked.sees('What should the next try do otherwise?');
    asked.type('write it in blue');
    await asked.sees(/Rejected a\. It is tried again with your words\.[^]*Land it\? a: /);
    asked.type('d');
    await asked.sees(/\+in blue[^]*Land it\? a: /);
    asked.type('n');
    await asked.sees('What should the next try do otherwise?');
    asked.type('');
    await asked.sees('Rejected a. It is not tried again');
    const [, retry = ''] = /`baton (retry \S+ --say )"[^"]+"`/.exec(asked.shown()) ?? [];
    expect((await asked.ended).exitCode, asked.shown()).toBe(1);
    const tasks = await bench.call(['tasks', '--json']);
    expect(JSON.parse(tasks.stdout)).toMatchObject({ tasks: [{ status: 'FAILED', settled: true }] });

    const long = await bench.call([...retry.trim().split(' '), 'x'.repeat(2_001)]);
    expect(long.stderr).toContain('at most 2000 characters');
    const again = await bench.call([...retry.trim().split(' '), 'rather in green']);
    const [, resume = ''] =
      /your words go into its prompt\. Carry the run on with `baton ([^`]+)`/.exec(again.stdout) ?? [];
    expect((await bench.baton(resume.split(' '))).exitCode).toBe(3);
    expect((await bench.call(['diff', 'a'])).stdout).toContain('+in green');
    const task = await bench.call(['task', 'a']);
    expect(task.stdout).toContain('A person refused it: write it in blue');
    expect(task.stdout).toContain('tester said: rather in green');
    const rejected = await bench.call(['reject', 'a', '--say', 'no colour at all']);
    expect(rejected.stdout).toMatch(
      /^Rejected a\. No try is left; `baton retry said-no-\w{4}\/a` gives it one more/,
    );
  },
);

test('a goal is carried out only after a yes', async () => {
  await using bench = await createBench({
    'baton.yaml': JSON.stringify({ agents: { own: writes('done.txt', 'x\n') }, agent: 'own' }),
  });
  const goal = ['run', 'write the file', '--budget', '2', '--max-cost', '0.5'];
  const ended = await atTerminal(bench, goal, { to: 'Go ahead?', with: 'n' });
  expect(ended.exitCode).toBe(130);
  expect(ended.shown).toMatch(
    /agent {6}own.*money {6}at most \$2\.00 in all, at most \$0\.50 a step.*set-up {5}none.*gates {6}none.*target {5}baton\/write-the-file-\w{4}.*isolation {2}none.*Go ahead\?/s,
  );
  expect(ended.shown).toContain('Nothing was started.');
  expect(JSON.parse((await bench.call(['runs', '--json'])).stdout)).toEqual({ runs: [] });
});
