import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

test.each<[typed: string[], told: string, fix: string]>([
  [
    ['plan', 'chek', 'plan.yaml'],
    'There is no `baton plan chek`; did you mean "check"?',
    'Say `baton plan check plan.yaml`; `baton help plan` shows what there is.',
  ],
  [
    ['keys', 'creat', 'ci'],
    'There is no `baton keys creat`; did you mean "create"?',
    'Say `baton keys create ci`; `baton help keys` shows what there is.',
  ],
  [
    ['keys', 'revok', 'my key', '--json'],
    'There is no `baton keys revok`; did you mean "revoke"?',
    "Say `baton keys revoke 'my key' --json`; `baton help keys` shows what there is.",
  ],
  [
    ['plan', '--repo', '/tmp', 'chek', 'x'],
    'There is no `baton plan chek`; did you mean "check"?',
    'Say `baton plan check --repo /tmp x`; `baton help plan` shows what there is.',
  ],
  [
    ['keys', '--repo', '/tmp', 'revoke', 'ci'],
    'The options of `baton keys revoke` come after its name.',
    'Say `baton keys revoke --repo /tmp ci`; `baton help keys` shows what there is.',
  ],
  [
    ['--repo', '/tmp', 'status'],
    'The options of `baton status` come after its name.',
    'Say `baton status --repo /tmp`; `baton help` shows what there is.',
  ],
  [
    ['--repo', '/tmp', 'plan', 'check', 'x'],
    'The options of `baton plan check` come after its name.',
    'Say `baton plan check --repo /tmp x`; `baton help` shows what there is.',
  ],
  [
    ['--repo', '.', 'status', '--help'],
    'The options of `baton status` come after its name.',
    'Say `baton status --repo . --help`; `baton help` shows what there is.',
  ],
  [['./my plan.yaml'], "unknown command './my plan.yaml'", "Say `baton run './my plan.yaml'`;"],
  [['plan.yml', '--budget', '5'], 'unknown ', 'Say `baton run plan.yml --budget 5`;'],
  [['version'], "unknown command 'version'", 'Say `baton --version`;'],
  [['-v'], "unknown option '-v'", 'Say `baton --version`;'],
  [['keys', 'create', ''], 'The name of a key is one line', 'Say who or what will use it,'],
  [['keys', 'create', 'a\nb'], 'The name of a key is one line', 'Say who or what will use it,'],
  [['run', 'plan.yaml', '-agent', 'x'], '(Did you mean --agent?)', 'See `baton help run`.'],
  [
    ['run', 'a goal', 'plan.yaml'],
    "too many arguments for 'run'",
    'Give either a plan or a goal, a goal in quotes: `baton run plan.yaml`',
  ],
  [['run', 'plan.yaml', '--agent='], 'Must be the name of an agent', 'See `baton help run`.'],
  [['plan', 'a goal', '--agent', 'my agent'], '`baton agents` lists them', 'See `baton help plan'],
  [['--jsn', 'run', 'plan.yaml'], "unknown option '--jsn'", 'See `baton help` or '],
  [['--agnt', 'x', 'run', 'plan.yaml'], "unknown option '--agnt'", 'See `baton help` or '],
  [['--repo', '.', '--help'], "unknown option '--repo'", 'See `baton help` or '],
  [
    ['runn', '--help'],
    'There is no command and no topic "runn"; did you mean "run"?',
    '`baton help` lists the commands',
  ],
  [
    ['runn', '-h', '--json'],
    'There is no command and no topic "runn"; did you mean "run"?',
    '`baton help` lists the commands',
  ],
  [
    ['keys', 'revok', '--help'],
    'There is no `baton keys` command "revok"; did you mean "revoke"?',
    'It has: create, list, revoke',
  ],
  [['help', '--jsn'], "unknown option '--jsn'\n  (Did you mean --json?)", 'See `baton help` or '],
  [['--help', '--jsn'], "unknown option '--jsn'\n  (Did you mean --json?)", 'See `baton help` or '],
  [['status', '–json'], '"–json" begins with a dash that is no hyphen.', 'Say `baton status --json`.'],
  [
    ['run', 'a goal', '—budget', '10'],
    '"—budget" begins with a dash that is no hyphen.',
    "Say `baton run 'a goal' --budget 10`.",
  ],
  [
    ['clean', '‑‑dry-run'],
    '"‑‑dry-run" begins with a dash that is no hyphen.',
    'Say `baton clean --dry-run`.',
  ],
  [['pause', '–much'], 'Nothing has run in this repository yet.', 'Start with'],
  [['task'], "missing required argument 'task'", 'See `baton help task`.'],
  [['plan', 'check', '--repo', '.'], "missing required argument 'plan.yaml'", 'See `baton help plan check`.'],
  [['run', 'x y', '--budget', '5USD'], 'Must be US dollars, such as 5 or 0.50.', 'See `baton help run`.'],
])('%j is answered with what was meant, and the help that is offered is there', async (typed, told, fix) => {
  await using bench = await createBench();
  const { exitCode, stderr } = await bench.call(typed);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(told);
  expect(stderr).toContain(`fix: ${fix}`);
  const [, offered = 'help'] = /`baton (help[^`]*)`/.exec(fix) ?? [];
  expect(await bench.call(offered.split(' '))).toMatchObject({ exitCode: 0 });
});

test.each([
  [['plan', '-o', 'check.yaml', 'add x', '--help'], 'baton plan'],
  [['run', '--repo', 'x', 'status', '--help'], 'baton run'],
])('%j is help on what is called, whatever its options are given', async (words, usage) => {
  await using bench = await createBench();
  const { exitCode, stdout, stderr } = await bench.call(words);
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain(`Usage: ${usage}`);
});

test.each([[[]], [['keys']]])(
  '%j with nothing but --json is its help as one object, and as wrong as without',
  async (words) => {
    await using bench = await createBench();
    const plain = await bench.call(words);
    const json = await bench.call([...words, '--json']);
    expect([plain.exitCode, json.exitCode, json.stderr]).toEqual([2, 2, '']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      command: ['baton', ...words].join(' '),
      text: plain.stderr,
    });
  },
);

test('the general help is the same however it is asked for, whatever the environment says', async () => {
  await using bench = await createBench();
  const { stdout } = await bench.call(['--help']);
  expect(stdout).toContain('baton doctor');
  for (const words of [['--help'], ['-h'], ['help']])
    expect(await bench.baton(words, { env: { BATON_PORT: 'none' } })).toMatchObject({
      ...{ exitCode: 0, stdout, stderr: '' },
    });
});
