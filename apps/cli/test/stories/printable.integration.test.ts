import { createTestDatabase, type TestDatabase } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createBench, type Bench, type Ended } from '../support/bench.ts';
import { allCommands, nasty, nastyName, obeyedIn } from '../support/nasty.ts';
import { planOf } from '../support/plans.ts';

/** Says and leaves what a terminal would obey, and ends with a code. */
const says = (name: string, exitCode = 0): { command: string[] } => ({
  command: [
    'node',
    '-e',
    `const fs = require('node:fs'); const nasty = ${JSON.stringify(nasty)};
fs.writeFileSync(${JSON.stringify(nastyName)} + ${JSON.stringify(name)}, nasty);
console.log(nasty); console.error(nasty); process.exitCode = ${exitCode};`,
  ],
});

const plan = planOf(
  'nasty',
  [
    { key: 'lands', title: nasty, agent: says('lands') },
    { key: 'fails', title: nasty, agent: says('fails', 3), max_retries: 0 },
    {
      key: 'refused',
      title: nasty,
      agent: says('refused'),
      max_retries: 0,
      signals: [
        { type: 'path_exists', path: 'not\u202ethere.txt' },
        {
          type: 'command_succeeds',
          command: ['node', '-e', `console.log(${JSON.stringify(nasty)}); process.exit(1)`],
        },
      ],
    },
    { key: 'asks', title: nasty, goal: nasty, agent: says('asks'), approval: true },
    { key: 'after', title: nasty, depends_on: ['fails'], agent: says('after') },
  ],
  { gates: [{ name: 'loud', command: ['node', '-e', `console.log(${JSON.stringify(nasty)})`] }] },
);

let bench: Bench;
let database: TestDatabase;
let run: Ended;
let colored: Ended;

/** Calls on one Postgres that runs already: starting one for each of them would take most of the time. */
const call = (args: readonly string[]) => bench.call(args, { env: { DATABASE_URL: database.url } });

beforeAll(async () => {
  bench = await createBench({ 'plan.yaml': plan });
  await bench.repo.git('switch', '--quiet', '--create', 'people/\u202egnp');
  database = await createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
  const env = { DATABASE_URL: database.url };
  colored = await bench.baton(['run', 'plan.yaml'], { env: { ...env, NO_COLOR: '', FORCE_COLOR: '1' } });
  run = await bench.baton(['run', 'plan.yaml'], { env });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

test('progress and summary of a run show what agents, gates and titles hold, and a terminal obeys none of it', () => {
  for (const text of [run.stdout, run.stderr]) {
    expect(text).toContain('␛');
    expect(obeyedIn(text)).toBeUndefined();
  }
  for (const text of [colored.stdout, colored.stderr]) {
    expect(text).toContain('\u001b[3');
    expect(obeyedIn(text, { colors: true })).toBeUndefined();
  }
  expect(colored.stderr, 'forged colours').toContain('␛[32m✔ landed␛[39m');
});

/** What an argument of this name is given; every other one gets the nasty text itself. */
const given: Readonly<Record<string, readonly string[]>> = {
  task: ['lands', 'fails', 'refused', 'asks', 'after'],
  'task-or-run': ['fails'],
  run: [''],
  'plan.yaml': ['plan.yaml'],
};

/** Not called here: they go on until they are stopped, and print by the same output as all others. */
const goOn = ['up', 'demo'];

test(
  'no command prints what a terminal would obey, with what is there and with what is not',
  { tags: ['long'] },
  async () => {
    const speaks = new Set<string>();
    const commands = (await allCommands()).filter(({ words }) => !goOn.includes(words[0] ?? ''));
    expect(commands.length).toBeGreaterThan(25);
    for (const { words, command } of commands) {
      const dry = command.options.some(({ long }) => long === '--dry-run') ? ['--dry-run'] : [];
      const [first] = command.registeredArguments;
      const known = (given[first?.name() ?? ''] ?? []).map((value) => (value === '' ? [] : [value]));
      const argumentLists = first === undefined ? [[]] : [...known, ...(first.required ? [] : [[]]), [nasty]];
      for (const [at, args] of argumentLists.entries()) {
        // Where no repository is, the arguments are not looked at.
        const elsewhere = at === 0 ? [['--repo', `/nowhere/${nasty}`]] : [];
        for (const more of [[], ['--json'], ...elsewhere]) {
          const line = [...words, ...args, ...more, ...dry];
          const ended = await call(line);
          for (const text of [ended.stdout, ended.stderr]) {
            expect(obeyedIn(text), line.join(' ')).toBeUndefined();
            if (text.includes('␛')) speaks.add(words.join(' '));
          }
        }
      }
    }
    for (const name of [
      'status',
      'tasks',
      'task',
      'explain',
      'logs',
      'diff',
      'approve',
      'rescue',
      'plan check',
    ])
      expect([...speaks]).toContain(name);
  },
);

test('--json gives the text exactly as it was written, and logs --raw what the agent printed', async () => {
  const tasks = await call(['tasks', '--json']);
  const { tasks: shown } = JSON.parse(tasks.stdout) as { tasks: { title: string }[] };
  expect(new Set(shown.map(({ title }) => title))).toEqual(new Set([nasty]));
  const raw = await call(['logs', 'lands', '--raw']);
  expect(raw.stdout).toContain('\u001b[8m');
  const logs = await call(['logs', 'lands']);
  expect(logs.stdout).toContain('␛[8m');
});

test('what lands carries the title on one printable line, and its trailers are the only ones', async () => {
  const status = await call(['status', '--json']);
  const { run: found } = JSON.parse(status.stdout) as { run: { target: string } };
  const message = await bench.repo.git('log', '-1', '--format=%B', found.target);
  expect(obeyedIn(message)).toBeUndefined();
  expect(message.split('\n')[0]).toMatch(/^ESC ␛\[8m/);
  const ids = await bench.repo.git('log', '-1', '--format=%(trailers:key=Task-Id,valueonly)', found.target);
  expect(ids.trim()).toMatch(/^[0-9a-f-]{36}$/);
});
