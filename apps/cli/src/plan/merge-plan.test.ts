import { plan, repoConfig } from '@baton/contracts';
import { expect, test } from 'vitest';

import { mergePlan } from './merge-plan.ts';

const stages = [{ name: 'a', steps: [{ title: 'One' }] }];

test('what the plan says wins over baton.yaml, by name', () => {
  const config = repoConfig.parse({
    target: 'develop',
    gates: [
      { name: 'tests', command: ['npm', 'test'] },
      { name: 'lint', command: ['npm', 'run', 'lint'] },
    ],
    agents: { fmt: { command: ['a'] }, other: { command: ['b'] } },
    workspace: { setup: ['npm', 'ci'] },
  });
  const own = plan.parse({
    name: 't',
    target: 'main',
    gates: [{ name: 'lint', command: ['eslint'] }],
    agents: { fmt: { command: ['prettier'] } },
    stages,
  });
  const merged = mergePlan(own, config);
  expect(merged.target).toBe('main');
  expect(merged.gates.map(({ name, command }) => [name, ...command])).toEqual([
    ['tests', 'npm', 'test'],
    ['lint', 'eslint'],
  ]);
  expect(merged.agents).toEqual({ fmt: { command: ['prettier'] }, other: { command: ['b'] } });
  expect(merged.workspace?.setup).toEqual(['npm', 'ci']);
});

test('what plans of the repository share holds for a plan that says nothing of it', () => {
  const config = repoConfig.parse({
    verify_ahead: true,
    history: 'merge',
    flaky_above: 3,
    candidates: false,
    weakened: 'tell',
  });
  const merged = (own: object) => mergePlan(plan.parse({ name: 't', stages, ...own }), config);
  expect(merged({})).toMatchObject({
    verify_ahead: true,
    history: 'merge',
    flaky_above: 3,
    candidates: false,
    weakened: 'tell',
  });
  expect(merged({ verify_ahead: false, history: 'squash', flaky_above: 0, weakened: 'hold' })).toMatchObject({
    ...{ verify_ahead: false, history: 'squash', flaky_above: 0, candidates: false, weakened: 'hold' },
  });
});

test('an option wins over the plan', () => {
  const own = plan.parse({ name: 't', target: 'main', agent: 'claude-code', allow_red: ['lint'], stages });
  const merged = mergePlan(own, repoConfig.parse({ target: 'develop' }), {
    target: 'release',
    agent: 'codex',
    allowRed: ['tests', 'lint'],
    maxRetries: 0,
    review: true,
  });
  expect(merged).toMatchObject({
    target: 'release',
    agent: 'codex',
    allow_red: ['lint', 'tests'],
    review: true,
  });
  expect(merged.stages[0]?.steps[0]?.max_retries).toBe(0);
});

test('money, model and effort of the options reach every step, a named model and effort stay', () => {
  const steps = [
    { title: 'One', max_cost: 3 },
    { title: 'Two', model: 'opus', effort: 'low' },
  ];
  const own = plan.parse({
    name: 't',
    budget: { usd: 9, unmeasured: 'refuse' },
    stages: [{ name: 'a', steps }],
  });
  const merged = mergePlan(own, repoConfig.parse({}), {
    ...{ budget: 2_500_000, maxCost: 1_000_000, model: 'sonnet', effort: 'high' },
  });
  expect(merged.budget).toEqual({ usd: 2_500_000, unmeasured: 'refuse' });
  expect(merged.stages[0]?.steps.map(({ model, effort, max_cost: cost }) => [model, effort, cost])).toEqual([
    ['sonnet', 'high', 1_000_000],
    ['opus', 'low', 1_000_000],
  ]);
});

test('without options and baton.yaml the plan stays as it is', () => {
  const own = plan.parse({ name: 't', stages });
  expect(mergePlan(own, repoConfig.parse({}))).toEqual(own);
});
