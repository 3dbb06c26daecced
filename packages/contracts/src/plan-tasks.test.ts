import { expect, test } from 'vitest';
import { BatonError } from './error.ts';
import { historyOf, keyFromTitle, planTasks } from './plan-tasks.ts';
import { plan } from './plan.ts';
import type { TaskDraft } from './task.ts';

const source = { kind: 'plan', by: 'ada', trusted: true } as const;
type Step = { title: string } & Record<string, unknown>;
type Stage = { name: string; depends_on?: string[]; steps: Step[] };

const tasksOf = (...stages: Stage[]): TaskDraft[] => planTasks(plan.parse({ name: 'p', stages }), { source });
const inOneStage = (...steps: Step[]) => tasksOf({ name: 's', steps });
const edges = (tasks: TaskDraft[]) => Object.fromEntries(tasks.map(({ key, dependsOn }) => [key, dependsOn]));

function refusal(...stages: Stage[]): BatonError {
  try {
    tasksOf(...stages);
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('the plan was accepted');
}

test('a step becomes a complete draft in units of the code', () => {
  const not_before = '2026-11-21T12:00:00+02:00';
  const [task] = inOneStage({
    title: 'Write the docs',
    timeout: '5m',
    max_cost: 0.25,
    not_before,
    max_retries: 1,
  });
  expect(task).toMatchObject({
    key: 'write-the-docs',
    goal: 'Write the docs',
    timeoutMs: 300_000,
    maxCostMicroUsd: 250_000,
    notBefore: '2026-11-21T10:00:00.000Z',
    maxRetries: 1,
    agent: null,
    idempotencyKey: null,
    source,
  });
});

test('steps depend on others by key or by title', () => {
  const tasks = inOneStage(
    { title: 'First' },
    { title: 'Second', key: 'two', depends_on: ['First'] },
    { title: 'Third', depends_on: ['two', 'first', 'First'] },
  );
  expect(edges(tasks)).toEqual({ first: [], two: ['first'], third: ['two', 'first'] });
});

test('a stage waits for all steps of the stages it names, and only for those', () => {
  const tasks = tasksOf(
    { name: 'a', steps: [{ title: 'a1' }, { title: 'a2' }] },
    { name: 'b', steps: [{ title: 'b1' }] },
    { name: 'c', depends_on: ['a'], steps: [{ title: 'c1', depends_on: ['a1', 'b1'] }] },
  );
  expect(edges(tasks)).toEqual({ a1: [], a2: [], b1: [], c1: ['a1', 'a2', 'b1'] });
});

test('a key comes before a title of the same text', () => {
  const tasks = inOneStage(
    { title: 'x', key: 'one' },
    { title: 'Other', key: 'x' },
    { title: 'Last', depends_on: ['x'] },
  );
  expect(edges(tasks)['last']).toEqual(['x']);
});

test('a title that several steps have names none of them', () => {
  const error = refusal({
    name: 's',
    steps: [
      { title: 'Same', key: 'a' },
      { title: 'Same', key: 'b' },
      { title: 'Last', depends_on: ['Same'] },
    ],
  });
  expect(error).toMatchObject({
    code: 'PLAN_INVALID',
    message: expect.stringContaining('name the key: a or b'),
  });
});

test.each([
  [
    'a key twice',
    [
      { title: 'A', key: 'k' },
      { title: 'B', key: 'k' },
    ],
    'stages.0.steps.1.key',
  ],
  ['a title twice', [{ title: 'Tidy up' }, { title: 'tidy, up!' }], 'stages.0.steps.1.title'],
  ['an unknown dependency', [{ title: 'A', depends_on: ['B'] }], 'stages.0.steps.0.depends_on.0'],
])('%s is refused at its place', (_, steps, place) => {
  expect(refusal({ name: 's', steps })).toMatchObject({
    code: 'PLAN_INVALID',
    message: expect.stringContaining(place),
  });
});

test('stages of one name and unknown stages are refused', () => {
  const steps = [{ title: 'A' }];
  expect(refusal({ name: 's', steps }, { name: 's', steps: [{ title: 'B' }] }).message).toContain(
    'stages.1.name',
  );
  expect(refusal({ name: 's', depends_on: ['t'], steps }).message).toContain('there is no stage "t"');
});

test.each([
  [[{ title: 'a', depends_on: ['a'] }], 'a → a'],
  [
    [
      { title: 'a', depends_on: ['b'] },
      { title: 'b', depends_on: ['c'] },
      { title: 'c', depends_on: ['b'] },
    ],
    'b → c → b',
  ],
])('a cycle is refused and named', (steps, cycle) => {
  expect(refusal({ name: 's', steps })).toMatchObject({ code: 'PLAN_CYCLE', details: { cycle } });
});

test('a cycle of stages is a cycle of their steps', () => {
  const error = refusal(
    { name: 'x', depends_on: ['y'], steps: [{ title: 'a' }] },
    { name: 'y', depends_on: ['x'], steps: [{ title: 'b' }] },
  );
  expect(error.code).toBe('PLAN_CYCLE');
});

test.each([
  ['Write the changelog', 'write-the-changelog'],
  ['  Füge Ümläute — hinzu!  ', 'fuge-umlaute-hinzu'],
  ['日本語', 'step'],
  ['x'.repeat(100), 'x'.repeat(60)],
])('the key of "%s" is "%s"', (title, key) => {
  expect(keyFromTitle(title)).toBe(key);
});

test('what lands of agents’ commits is one commit, unless the plan says otherwise; of pull requests always', () => {
  expect(historyOf(null)).toBe('squash');
  expect(historyOf({ history: 'merge' })).toBe('merge');
  expect(historyOf({ history: 'octopus' })).toBe('squash');
  expect(historyOf({ history: 'linear', landing: 'pull_request', target: 'main' })).toBe('squash');
});
