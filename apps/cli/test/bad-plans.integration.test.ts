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
    'plan.yaml': `${step()}  - { name: b, depends_on: [a], steps: [{ key: y, title: Two }] }\n`,
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
