import { repoConfig } from '@baton/contracts';
import { expect, test } from 'vitest';

import { checkFile } from './plan/check-file.ts';
import { checkPlan } from './plan/load-plan.ts';
import { parseYaml } from './plan/yaml-file.ts';
import { configTemplate, planTemplate } from './templates.ts';

test('the example plan is a right plan whose second step waits for the first', () => {
  const file = parseYaml(planTemplate(), { name: 'plan.yaml', code: 'PLAN_INVALID' });
  const { tasks } = checkPlan(file, { source: { kind: 'plan', by: 'tester', trusted: true } });
  expect(tasks.map(({ key, dependsOn }) => [key, ...dependsOn])).toEqual([
    ['notes'],
    ['first-note', 'notes'],
  ]);
});

test.each([[[]], [[{ name: 'tests', command: ['npm', 'test'], required: true, timeout: 600_000 }]]])(
  'baton.yaml is right with the gates that were found: %j',
  (gates) => {
    const file = parseYaml(configTemplate(gates), { name: 'baton.yaml', code: 'CONFIG_INVALID' });
    const config = checkFile(file, { schema: repoConfig, code: 'CONFIG_INVALID' });
    expect(config.gates.map((gate) => gate.name)).toEqual(gates.map((gate) => gate.name));
  },
);
