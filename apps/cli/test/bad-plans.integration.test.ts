import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

const step = (more = '') =>
  `name: t\nstages:\n  - name: a\n    steps:\n      - { key: x, title: One, agent: { command: [node, -v] }${more} }\n`;

const badPlans: [what: string, plan: string, code: string, told: string][] = [
  [
    'an unknown key',
    'name: t\nstages:\n  - name: a\n    steps:\n      - title: One\n        signals:\n          - { typ: path_exists, path: x }\n',
    'PLAN_INVALID',
    'plan.yaml:7:15 stages.0.steps.0.signals.0.typ: unknown key "typ"',
  ],
  [
    'a cycle',
    'name: t\nstages:\n  - name: a\n    steps:\n      - { key: x, title: One, depends_on: [y] }\n      - { key: y, title: Two, depends_on: [x] }\n',
    'PLAN_CYCLE',
    'x → y → x',
  ],
  ['an unknown dependency', step(', depends_on: [nothing]'), 'PLAN_INVALID', '"nothing"'],
  [
    'a duplicate name',
    'name: t\nstages:\n  - name: a\n    steps:\n      - { key: x, title: One }\n      - { key: x, title: Two }\n',
    'PLAN_INVALID',
    'plan.yaml:6:16 stages.0.steps.1.key: the step key "x" is used twice',
  ],
  ['an empty file', '', 'PLAN_EMPTY', 'plan.yaml holds no steps'],
  ['a plan without steps', 'name: t\nstages: []\n', 'PLAN_EMPTY', 'plan.yaml holds no steps'],
  [
    'an agent that nobody defined',
    step().replace('{ command: [node, -v] }', 'nobody'),
    'AGENT_UNKNOWN',
    '"nobody"',
  ],
  [
    'a gate to allow that does not exist',
    step(', allow_red: [lint]'),
    'PLAN_INVALID',
    'There is no gate "lint"',
  ],
];

test.each(badPlans)(
  '%s is refused with its place, exit code 2, and nothing is started',
  async (_, text, code, told) => {
    await using bench = await createBench();
    await bench.repo.write({ 'plan.yaml': text });
    const ended = await bench.call(['run', 'plan.yaml']);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toContain(`error ${code}: `);
    expect(ended.stderr).toContain(told);
    expect(await bench.repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  },
);

test('a plan file that is missing is named, with the way out', async () => {
  await using bench = await createBench();
  const ended = await bench.call(['run', 'nowhere.yaml']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toMatch(
    /^error FILE_MISSING: nowhere\.yaml does not exist\.\nat: {2}nowhere\.yaml\nfix: /,
  );
});

test('a single word that is no file is taken neither for a plan nor for a goal', async () => {
  await using bench = await createBench();
  const ended = await bench.call(['run', 'pln']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('say the goal in several words');
});

test('an empty argument is nothing to carry out', async () => {
  await using bench = await createBench();
  const ended = await bench.call(['run', '']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error INVALID_INPUT: There is nothing to carry out.');
});

test('a wrong baton.yaml is refused with its place', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': step(), 'baton.yaml': 'gate:\n  - { name: a, command: [x] }\n' });
  const ended = await bench.call(['run', 'plan.yaml']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain(
    'error CONFIG_INVALID: baton.yaml:1:1 gate: unknown key "gate"; did you mean "gates"?',
  );
});

test('with --json a refusal is one object on stdout with every place as data', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': 'name: t\nstage: []\nstages: 7\n' });
  const ended = await bench.call(['plan', 'check', 'plan.yaml', '--json']);
  expect(ended.exitCode).toBe(2);
  const { error } = JSON.parse(ended.stdout) as { error: { code: string; details: { issues: unknown[] } } };
  expect(error.code).toBe('PLAN_INVALID');
  expect(error.details.issues).toEqual([
    expect.objectContaining({ path: ['stage'], line: 2, column: 1 }),
    expect.objectContaining({ path: ['stages'], line: 3, column: 9 }),
  ]);
});

test('a right plan passes the check and shows what waits for what', async () => {
  await using bench = await createBench();
  await bench.repo.write({
    'plan.yaml': `${step()}  - { name: b, depends_on: [a], steps: [{ key: y, title: Two, agent: { command: [node, -v] } }] }\n`,
  });
  const ended = await bench.call(['plan', 'check', 'plan.yaml', '--json']);
  expect(ended.exitCode).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    name: 't',
    tasks: [
      { key: 'x', dependsOn: [] },
      { key: 'y', dependsOn: ['x'] },
    ],
  });
});

const unworkable = JSON.stringify({
  name: 'unworkable',
  target: 'release',
  budget: { usd: 1 },
  agents: {
    formatter: { command: ['node', '-v'] },
    gone: { command: ['no-such-program-anywhere'] },
    keyed: { command: ['node'], env: { KEY: '${NOT_SET_ANYWHERE}' } },
    priced: { acp: ['node', 'agent.mjs'], model: 'retention-model' },
  },
  gates: [{ name: 'listed', command: ['echo hi && ls'] }],
  stages: [
    {
      name: 'a',
      steps: [
        { key: 'typo', title: 'a', agent: 'formater' },
        { key: 'missing', title: 'b', agent: 'gone' },
        { key: 'unset', title: 'c', agent: 'keyed' },
        { key: 'unpriced', title: 'd', agent: 'priced' },
        { key: 'shell', title: 'e', agent: { command: ['cat x | wc'] } },
      ],
    },
  ],
});

test('the check lists all problems that can be known beforehand, and a run refuses the same before it starts', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': unworkable });
  const checked = await bench.call(['plan', 'check', 'plan.yaml']);
  expect(checked.exitCode).toBe(2);
  const told = [
    'typo: AGENT_UNKNOWN: There is no agent "formater"; did you mean "formatter"?',
    'missing: AGENT_MISSING: The agent "gone" cannot be started: no-such-program-anywhere is not there.',
    'unset, env.KEY: CONFIG_INVALID: The variable KEY of an agent takes its value from NOT_SET_ANYWHERE, which is not set.',
    'prices: { "retention-model": { input: 3, output: 15 } }',
    'shell: PLAN_INVALID: There is no shell: "cat x | wc" would be the name of one program. Name a shell where you want one: [sh, -c, \'cat x | wc\'].',
    'gates.0.command: PLAN_INVALID: There is no shell: "echo hi && ls" would be the name of one program.',
  ];
  for (const line of [...told, 'target: REF_INVALID: The target branch "release" does not exist.'])
    expect(checked.stderr).toContain(line);
  await bench.repo.git('branch', 'release');
  const dry = await bench.call(['run', 'plan.yaml', '--dry-run']);
  expect(dry.exitCode).toBe(2);
  for (const line of told) expect(dry.stderr).toContain(line);
});

test('a dry run says what it would be carried out with, and of the branch only what is certain', async () => {
  await using bench = await createBench();
  const agents = { priced: { acp: ['node', 'agent.mjs'], model: 'retention-model' } };
  const prices = { 'retention-model': { input: 3, output: 15 } };
  await bench.repo.write({
    'baton.yaml': JSON.stringify({ agents, prices, gates: [{ name: 'tests', command: ['node', '-v'] }] }),
    'plan.yaml': step().replace(', agent: { command: [node, -v] }', ', agent: priced'),
  });
  const options = ['--budget', '2.50', '--max-cost', '1', '--effort', 'high', '--dry-run'];
  const told = await bench.call(['run', 'plan.yaml', ...options]);
  expect(told.exitCode, told.stderr).toBe(0);
  expect(told.stdout.split('\n').slice(0, 7)).toEqual([
    expect.stringMatching(
      /^Would carry out 1 task onto baton\/t-\* \(\* is drawn when the run starts\), from /,
    ),
    '  agent      priced, model retention-model, effort high',
    '  money      at most $2.50 in all, at most $1.00 a step',
    '  set-up     none',
    '  gates      tests (node -v)',
    '  target     baton/t-*',
    '  isolation  none: agents run with your rights, each in a worktree of its own',
  ]);
  const data = await bench.call(['run', 'plan.yaml', ...options, '--json']);
  expect(JSON.parse(data.stdout)).toMatchObject({
    target: 'baton/t-*',
    outlook: {
      agents: [{ name: 'priced', model: 'retention-model', effort: 'high', tasks: ['x'] }],
      ...{ budgetMicroUsd: 2_500_000, maxCostMicroUsd: 1_000_000, setUp: null, isolation: 'none' },
    },
  });
  for (const wrong of [
    ['--agent', 'priced', '--agent', 'other'],
    ['--budget', '5USD'],
    ['--budget', '0'],
    ['--max-cost', '-1'],
    ['--effort', 'huge'],
  ]) {
    const refused = await bench.call(['run', 'plan.yaml', ...wrong, '--dry-run']);
    expect(refused.exitCode, wrong.join(' ')).toBe(2);
  }
});

test('a step that may cost more than its whole run is warned about before the start, by check and run', async () => {
  await using bench = await createBench();
  const text = step(', max_cost: 2').replace('name: t\n', 'name: t\nbudget: { usd: 1 }\n');
  await bench.repo.write({ 'plan.yaml': text });
  const above = 'x: max_cost (or --max-cost) $2.00 is more than the budget of the whole run, $1.00';
  expect((await bench.call(['plan', 'check', 'plan.yaml'])).stderr).toContain(above);
  expect((await bench.call(['run', 'plan.yaml', '--dry-run'])).stderr).toContain(above);
  const enough = await bench.call(['run', 'plan.yaml', '--budget', '2', '--dry-run']);
  expect(enough).toMatchObject({ exitCode: 0, stderr: '' });
});
