import { PassThrough } from 'node:stream';

import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';

import { helpTopics } from './terminal/help-topics.ts';
import { runCli } from './cli.ts';
import { type AddCommands } from './terminal/call.ts';

const addGreet: AddCommands = (program, define) => {
  const command = program
    .command('greet')
    .argument('<name>')
    .option('--loud')
    .option('--as <name>', 'other name')
    .option('--to <name...>')
    .description('greets somebody');
  define(command, async (call, name: string, options: { loud?: boolean }) => {
    if (name === 'nobody') {
      throw new BatonError('NOT_FOUND', 'There is nobody.', { at: 'greet', fix: 'Name somebody.' });
    }
    if (name === 'bug') throw new TypeError('undefined is not a function');
    call.out.note('greeting');
    call.out.result({ greeted: name }, () => (options.loud ? `HELLO ${name}` : `hello ${name}`));
    return name === 'later' ? 3 : undefined;
  });
};

async function run(...argv: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const exitCode = await runCli(argv, {
    loadCommands: async () => [addGreet],
    version: '1.2.3',
    streams: { stdin, stdout, stderr },
    variables: { HOME: '/home/tester' },
    cwd: '/',
  });
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

test('a result goes to stdout, a note to stderr, and nothing said means exit code 0', async () => {
  expect(await run('greet', 'Ada', '--loud')).toEqual({
    exitCode: 0,
    stdout: 'HELLO Ada\n',
    stderr: 'greeting\n',
  });
});

test('the exit code that a command gives is the exit code', async () => {
  expect((await run('greet', 'later')).exitCode).toBe(3);
});

test('with --json stdout is one object', async () => {
  const { stdout, exitCode } = await run('greet', 'Ada', '--json');
  expect(JSON.parse(stdout)).toEqual({ greeted: 'Ada' });
  expect(exitCode).toBe(0);
});

test('an error is printed with code, place and fix, and is exit code 2', async () => {
  expect(await run('greet', 'nobody')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error NOT_FOUND: There is nobody.\nat:  greet\nfix: Name somebody.\n',
  });
});

test('an error with --json is one object on stdout, and is still told on stderr', async () => {
  const { stdout, stderr } = await run('greet', 'nobody', '--json');
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'NOT_FOUND', message: 'There is nobody.', at: 'greet', fix: 'Name somebody.' },
  });
  expect(stderr).toContain('error NOT_FOUND');
});

test('an unexpected error is printed as a bug, with its stack, and is exit code 1', async () => {
  const { exitCode, stderr } = await run('greet', 'bug');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error BUG: TypeError: undefined is not a function\n\s+at /);
});

test('a mistyped command is refused with the one that was meant', async () => {
  const { exitCode, stderr } = await run('gret', 'Ada');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("error INVALID_INPUT: unknown command 'gret'");
  expect(stderr).toContain('Did you mean greet?');
});

test('an unknown option is refused with the one that was meant', async () => {
  const { exitCode, stderr } = await run('greet', 'Ada', '--lowd');
  expect(exitCode).toBe(2);
  expect(stderr).toContain("unknown option '--lowd'");
  expect(stderr).toContain('Did you mean --loud?');
});

test('a missing and a superfluous argument are refused, with the help of that command', async () => {
  const fix = '\nfix: See `baton help greet`.\n';
  expect((await run('greet')).stderr).toBe(`error INVALID_INPUT: missing required argument 'name'${fix}`);
  expect((await run('greet', 'Ada', 'Bob')).stderr).toMatch(
    /too many arguments.*\nfix: See `baton help greet`/,
  );
});

test('asking for help or the version is no error', async () => {
  expect(await run('--version')).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
  const help = await run('greet', '--help');
  expect(help.exitCode).toBe(0);
  expect(help.stdout).toContain('greets somebody');
  expect(help.stdout).toContain('--json');
});

test('with --json, before or after the command, version and help are one object, too', async () => {
  for (const argv of [
    ['--version', '--json'],
    ['--json', '-V'],
  ])
    expect(JSON.parse((await run(...argv)).stdout)).toEqual({ version: '1.2.3' });
  const plain = (await run('greet', '--help')).stdout;
  for (const argv of [
    ['greet', '--help', '--json'],
    ['help', 'greet', '--json'],
    ['--json', 'greet', 'Ada', '-h'],
  ]) {
    const { exitCode, stdout, stderr } = await run(...argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      command: 'baton greet',
      description: 'greets somebody',
      arguments: [{ name: 'name', required: true }],
      commands: [],
      text: plain,
    });
    expect(JSON.parse(stdout)).toHaveProperty(['options', 0], { flags: '--loud', description: '' });
  }
  const all = JSON.parse((await run('help', '--json')).stdout) as object;
  expect(all).toMatchObject({
    command: 'baton',
    commands: [
      { name: 'greet', usage: 'greet [options] <name>', description: 'greets somebody' },
      { name: 'help' },
    ],
    topics: Object.keys(helpTopics),
  });
  expect(JSON.parse((await run('help', 'budgets', '--json')).stdout)).toMatchObject({
    command: null,
    text: `${helpTopics['budgets']}\n`,
  });
  const called = await run('--json', 'greet', 'Ada');
  expect(JSON.parse(called.stdout)).toEqual({ greeted: 'Ada' });
});

test('without a command help is shown and nothing was done', async () => {
  const { exitCode, stderr } = await run();
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Usage: baton');
});

test('an option that takes one value is refused a second time, with both values and the way out', async () => {
  const twice = await run('greet', 'Ada', '--as', 'Bo', '--as', 'Cy');
  expect(twice).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'error INVALID_INPUT: --as is given twice: "Bo" and "Cy".\nat:  --as\nfix: Give it once, such as `baton greet --as Bo`.\n',
  });
  const list = await run('greet', 'Ada', '--to', 'Bo', '--to', 'Cy', '--as', 'Bo');
  expect(list).toMatchObject({ exitCode: 0, stdout: 'hello Ada\n' });
});

test('help knows topics and commands, at any depth, and names the nearest of what it does not know', async () => {
  for (const [topic, text] of Object.entries(helpTopics))
    expect(await run('help', topic)).toEqual({ exitCode: 0, stdout: `${text}\n`, stderr: '' });
  const greet = await run('help', 'greet');
  expect(greet).toMatchObject({ exitCode: 0, stdout: (await run('greet', '--help')).stdout });
  const typo = await run('help', 'budgts', '--json');
  expect(typo.exitCode).toBe(2);
  expect(JSON.parse(typo.stdout)).toMatchObject({
    error: { message: 'There is no command and no topic "budgts"; did you mean "budgets"?' },
  });
  expect((await run('help', 'greet', 'x')).stderr).toContain('There is no `baton greet` command "x".');
});
