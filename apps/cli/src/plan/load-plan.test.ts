import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';

import { checkPlan } from './load-plan.ts';
import { parseYaml } from './yaml-file.ts';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;

function load(text: string) {
  return checkPlan(parseYaml(text, { name: 'plan.yaml', code: 'PLAN_INVALID' }), { source });
}

function refusal(text: string): BatonError {
  try {
    load(text);
  } catch (error) {
    if (BatonError.is(error)) return error;
    throw error;
  }
  throw new Error('the plan was accepted');
}

test('a plan with all defaults becomes tasks in plan order', () => {
  const { tasks } = load(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - title: Format it\n      - title: Lint it\n',
  );
  expect(tasks.map(({ key, role, maxRetries, dependsOn }) => ({ key, role, maxRetries, dependsOn }))).toEqual(
    [
      { key: 'format-it', role: 'backend', maxRetries: 3, dependsOn: [] },
      { key: 'lint-it', role: 'backend', maxRetries: 3, dependsOn: [] },
    ],
  );
});

test('an unknown key of a signal is named with line, column, key path and the key that was meant', () => {
  const error = refusal(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - title: T\n        signals:\n          - { typ: path_exists, path: x }\n',
  );
  expect(error.code).toBe('PLAN_INVALID');
  expect(error.message).toContain(
    'plan.yaml:7:15 stages.0.steps.0.signals.0.typ: unknown key "typ"; did you mean "type"?',
  );
  expect(error.message).not.toContain('is missing');
});

test('an unknown key on any level is named with the key that was meant', () => {
  const error = refusal(
    'name: tidy\nstage: []\nstages:\n  - name: a\n    steps:\n      - title: T\n        rolle: backend\n',
  );
  expect(error.message.split('\n')).toEqual([
    'plan.yaml has 2 problems',
    'plan.yaml:2:1 stage: unknown key "stage"; did you mean "stages"?',
    'plan.yaml:7:9 stages.0.steps.0.rolle: unknown key "rolle"; did you mean "role"?',
  ]);
});

test('several errors are reported at once, in the order of the file', () => {
  const error = refusal(
    'name: "no spaces allowed"\nstages:\n  - name: a\n    steps:\n      - title: T\n        priority: 9\n        scope: huge\n      - goal: no title\n',
  );
  const lines = error.message.split('\n');
  expect(lines[0]).toBe('plan.yaml has 4 problems');
  expect(lines[1]).toMatch(/^plan\.yaml:1:7 name: /);
  expect(lines[2]).toMatch(/^plan\.yaml:6:19 stages\.0\.steps\.0\.priority: /);
  expect(lines[3]).toBe(
    'plan.yaml:7:16 stages.0.steps.0.scope: "huge" is not one of small, medium, large, xl',
  );
  expect(lines[4]).toBe('plan.yaml:8:9 stages.0.steps.1.title: required key "title" is missing');
});

test('a duplicate key is refused with its place', () => {
  const error = refusal('name: tidy\nname: again\nstages: []\n');
  expect(error.code).toBe('PLAN_INVALID');
  expect(error.message).toBe('plan.yaml:2:1: the key "name" is given twice here; remove one of them');
});

test('text that is no YAML is refused with its place', () => {
  expect(refusal('name: [1, 2\nstages: {').message).toMatch(/plan\.yaml:\d+:\d+: /);
});

test('two steps with one key are refused with the place of the second', () => {
  const error = refusal(
    'name: t\nstages:\n  - name: a\n    steps:\n      - { key: x, title: One }\n      - { key: x, title: Two }\n',
  );
  expect(error.message).toBe(
    'plan.yaml:6:16 stages.0.steps.1.key: the step key "x" is used twice; give one of them another key',
  );
});

test('two stages with one name are refused', () => {
  const error = refusal(
    'name: t\nstages:\n  - { name: a, steps: [{ title: One }] }\n  - { name: a, steps: [{ title: Two }] }\n',
  );
  expect(error.message).toMatch(/^plan\.yaml:4:13 stages\.1\.name: stage name "a" is used twice/);
});

test('a dependency on nothing is refused with its place', () => {
  const error = refusal(
    'name: t\nstages:\n  - name: a\n    steps:\n      - { title: One, depends_on: [two] }\n',
  );
  expect(error.message).toMatch(
    /^plan\.yaml:5:36 stages\.0\.steps\.0\.depends_on\.0: there is no step .*"two"/,
  );
});

test('a cycle is named', () => {
  const error = refusal(
    'name: t\nstages:\n  - name: a\n    steps:\n      - { key: x, title: One, depends_on: [y] }\n      - { key: y, title: Two, depends_on: [x] }\n',
  );
  expect(error.code).toBe('PLAN_CYCLE');
  expect(error.message).toContain('x → y → x');
  expect(error.message).toContain('plan.yaml:5:9');
});

test.each([
  '',
  '# only a comment\n',
  'name: t\nstages: []\n',
  'name: t\nstages:\n',
  'name: t\nstages: [{ name: a, steps: [] }]\n',
])('a plan without steps is called empty: %j', (text) => {
  expect(refusal(text).code).toBe('PLAN_EMPTY');
});

test('a list in place of a plan is refused', () => {
  expect(refusal('- a\n- b\n').code).toBe('PLAN_INVALID');
});

test('aliases that multiply beyond reason are refused, not expanded', () => {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f'].map(
    (name, at, all) =>
      `${name}: &${name} [${Array(9)
        .fill(at === 0 ? 'x' : `*${all[at - 1] ?? ''}`)
        .join(',')}]`,
  );
  const error = refusal(levels.join('\n'));
  expect(error.code).toBe('PLAN_INVALID');
  expect(error.message).toMatch(/^plan\.yaml: its aliases cannot be expanded: /);
});

test('steps may take their like parts from an anchor by <<', () => {
  const { tasks } = load(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - &like { title: A, role: docs, priority: 1 }\n      - { <<: *like, title: B, priority: 4 }\n',
  );
  expect(tasks.map(({ title, role, priority }) => ({ title, role, priority }))).toEqual([
    { title: 'A', role: 'docs', priority: 1 },
    { title: 'B', role: 'docs', priority: 4 },
  ]);
});

test('a key of another type of signal is not reported as a mistyped one', () => {
  const error = refusal(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - title: T\n        signals:\n          - { type: file_contains, path: x, pattern: y }\n',
  );
  expect(error.message).toContain('unknown key "pattern": it does not belong to this type');
});

test('a path that leads outside the repository is refused with its place', () => {
  const error = refusal(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - title: T\n        files: ["../x"]\n',
  );
  expect(error.message).toBe('plan.yaml:6:17 stages.0.steps.0.files.0: must not lead outside the repository');
});

test('the time limit of a signal is read once: seconds become milliseconds', () => {
  const { tasks } = load(
    'name: tidy\nstages:\n  - name: a\n    steps:\n      - title: T\n        signals:\n          - { type: command_succeeds, command: [x], timeout: 2 }\n          - { type: command_succeeds, command: [y], timeout: 1m }\n',
  );
  expect(tasks[0]?.signals).toMatchObject([{ timeout: 2000 }, { timeout: 60_000 }]);
});
