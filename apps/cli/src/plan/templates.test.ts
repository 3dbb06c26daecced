import { repoConfig } from '@baton/contracts';
import { expect, test } from 'vitest';

import { checkFile } from './check-file.ts';
import { checkPlan } from './load-plan.ts';
import { parseYaml } from './yaml-file.ts';
import { configTemplate, planTemplate } from './templates.ts';

const config = (text: string) =>
  checkFile(parseYaml(text, { name: 'baton.yaml', code: 'CONFIG_INVALID' }), {
    schema: repoConfig,
    code: 'CONFIG_INVALID',
  });
const nothing = { workspace: null, reasons: [], gates: [], warnings: [] };

test('the example plan is a right plan whose second step waits for the first, and its agents need no language', () => {
  const file = parseYaml(planTemplate(), { name: 'plan.yaml', code: 'PLAN_INVALID' });
  const { tasks } = checkPlan(file, { source: { kind: 'plan', by: 'tester', trusted: true } });
  expect(tasks.map(({ key, dependsOn }) => [key, ...dependsOn])).toEqual([
    ['notes'],
    ['first-note', 'notes'],
  ]);
  expect(planTemplate()).not.toMatch(/npm|node/);
});

test('baton.yaml says only what applies', () => {
  const text = configTemplate(nothing);
  expect(config(text)).toMatchObject({ gates: [] });
  expect(text).not.toMatch(/npm|node_modules|workspace/);
});

test('baton.yaml is right with what was found, whatever the names are', () => {
  const gate = {
    name: 'tests',
    command: ['npm', 'test', '--workspace=a: b, "c" ü'],
    required: true,
    timeout: 600_000,
    paths: ['- x', 'true', '{y}'],
  };
  const workspace = {
    setup: ['sh', '-c', 'a && "b" # no comment'],
    inputs: ['requirements.txt'],
    setup_timeout: 600_000,
    symlink: ['-a ü/node_modules', '#x', 'no'],
    copy: ['.env'],
  };
  const reasons = ['your checkout has -a\nb: [c'];
  const text = configTemplate({
    workspace,
    reasons,
    gates: [{ gate, reason: '', program: 'npm' }],
    warnings: ['a\nb: c'],
  });
  expect(config(text)).toMatchObject({ gates: [gate], workspace });
});
