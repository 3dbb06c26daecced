import { expect, test } from 'vitest';
import { gate, settledGates } from './gates.ts';
import { plan, planStep, settledSetup, workspaceSetup } from './plan.ts';
import { repoConfig } from './repo-config.ts';
import { draftOfStep, planTasks } from './plan-tasks.ts';
import { agentDefinition, completionSignal, draftTask, keyName, newTask, taskDraft } from './task.ts';

const draft = {
  key: 'format',
  title: 'Format',
  goal: 'Format all.',
  role: 'backend',
  scope: 'small',
  complexity: 'low',
  priority: 2,
  files: ['src/'],
  context: [],
  signals: [],
  agent: null,
  model: null,
  effort: null,
  labels: [],
  dependsOn: [],
  maxRetries: 3,
  notBefore: null,
  timeoutMs: null,
  maxCostMicroUsd: null,
  approval: false,
  allowRed: [],
  source: { kind: 'plan', by: 'ada', trusted: true },
  idempotencyKey: null,
};

test('a complete draft is taken as it is, its risk low unless said otherwise', () => {
  expect(taskDraft.parse(draft)).toEqual({ ...draft, risk: 'low' });
});

test('a draft that passes several edges keeps its time limits', () => {
  const signals = [
    { type: 'command_succeeds', command: ['a'], timeout: 1000 },
    { type: 'command_succeeds', command: ['b'], timeout: '10m' },
  ];
  const once = taskDraft.parse({ ...draft, signals });
  expect(once.signals).toMatchObject([{ timeout: 1000 }, { timeout: 600_000 }]);
  expect(taskDraft.parse(once)).toEqual(once);
});

test.each([
  ['a fractional price', { maxCostMicroUsd: 0.5 }],
  ['a path outside', { files: ['../x'] }],
  ['a priority of 6', { priority: 6 }],
  ['an unknown key', { owner: 'ada' }],
  ['a local time', { notBefore: '2026-01-01T00:00:00' }],
])('a draft with %s is refused', (_, change) => {
  expect(taskDraft.safeParse({ ...draft, ...change }).success).toBe(false);
});

test('an agent is a command or speaks ACP, never both', () => {
  expect(agentDefinition.safeParse({ command: ['a'], acp: ['b'] }).success).toBe(false);
  expect(agentDefinition.safeParse({ command: [] }).success).toBe(false);
  expect(agentDefinition.safeParse({ acp: ['gemini', '--acp'], model: 'gemini-2.5-pro' }).success).toBe(true);
});

test.each([
  ['an empty question', { type: 'llm_review', prompt: ' ' }],
  ['a confidence in per cent', { type: 'llm_judge', criteria: 'x', min_confidence: 70 }],
  ['an unknown key', { type: 'llm_review', prompt: 'x', model: 'y' }],
])('a signal for a reviewer with %s is refused', (_, signal) => {
  expect(completionSignal.safeParse(signal).success).toBe(false);
});

test('a judge must be rather sure unless the signal says how sure', () => {
  expect(completionSignal.parse({ type: 'llm_judge', criteria: 'x' })).toMatchObject({ min_confidence: 0.7 });
});

test('a signal may not look outside the repository', () => {
  expect(completionSignal.safeParse({ type: 'path_exists', path: '/etc/passwd' }).success).toBe(false);
});

test.each(['a', 'A.b_c-1', 'x'.repeat(64)])('%s is a name', (name) => {
  expect(keyName.safeParse(name).success).toBe(true);
});

test.each(['', '-a', '.a', 'a b', 'a/b', 'ä', 'x'.repeat(65)])('%j is no name', (name) => {
  expect(keyName.safeParse(name).success).toBe(false);
});

test('an empty repository configuration is valid', () => {
  expect(repoConfig.parse({})).toEqual({ gates: [], agents: {}, plugins: [] });
});

test('a model ladder needs two rungs', () => {
  expect(repoConfig.safeParse({ routing: { ladders: [['only-one']] } }).success).toBe(false);
});

test('a task of which only the key is given is one of a plan with that title', () => {
  const source = { kind: 'api', by: 'ada', trusted: true } as const;
  expect(draftTask(newTask.parse({ key: 'a' }), source)).toEqual(
    planTasks(plan.parse({ name: 'p', stages: [{ name: 's', steps: [{ title: 'a' }] }] }), { source })[0],
  );
  expect(draftTask(newTask.parse({ key: 'a', title: 'Do it' }), source)).toMatchObject({ goal: 'Do it' });
});

test('the source that a task names is kept', () => {
  const source = { kind: 'api', by: 'mail', trusted: false } as const;
  const other = { kind: 'plan', by: 'ada', trusted: true } as const;
  expect(draftTask(newTask.parse({ key: 'a', source }), other).source).toEqual(source);
});

test('all that a step says is in its draft', () => {
  const said = {
    ...{ title: 'T', goal: 'G', role: 'qa', scope: 'xl', complexity: 'high', risk: 'high', priority: 5 },
    ...{
      files: ['a'],
      context: ['b'],
      signals: [{ type: 'path_exists', path: 'a' }],
      agent: 'hand',
      model: 'm',
    },
    ...{
      effort: 'low',
      labels: ['gpu'],
      max_retries: 0,
      max_attempts: 7,
      not_before: '2026-01-01T00:00:00Z',
    },
    ...{ timeout: '5m', max_cost: 0.5, approval: true, allow_red: ['lint'] },
  };
  const { key: _, ...step } = planStep.parse(said);
  expect(newTask.parse({ key: 'k', ...draftOfStep(step) })).toEqual({
    ...{
      key: 'k',
      title: 'T',
      goal: 'G',
      role: 'qa',
      scope: 'xl',
      complexity: 'high',
      risk: 'high',
      priority: 5,
    },
    ...{
      files: ['a'],
      context: ['b'],
      signals: [{ type: 'path_exists', path: 'a' }],
      agent: 'hand',
      model: 'm',
    },
    ...{ effort: 'low', labels: ['gpu'], dependsOn: [], maxRetries: 0, maxAttempts: 7 },
    ...{ notBefore: '2026-01-01T00:00:00.000Z', timeoutMs: 300_000, maxCostMicroUsd: 500_000 },
    ...{ approval: true, allowRed: ['lint'], idempotencyKey: null },
  });
});

test('gates and set-up that were parsed stay as they are when they are parsed again', () => {
  const once = gate.parse({ name: 'test', command: ['npm', 'test'], timeout: '5s' });
  expect(settledGates.parse([once])[0]).toEqual(once);
  const setUp = workspaceSetup.parse({ setup_timeout: '7s' });
  expect(settledSetup.parse(setUp)).toEqual(setUp);
});
