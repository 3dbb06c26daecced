import { plan, planTasks, type TaskDraft } from '@baton/contracts';
import type { Run, Task } from '@baton/task-store';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { planYaml } from './plan-yaml.ts';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;
const written = plan.parse({
  name: 'tidy',
  budget: { usd: 4.999999 },
  target: 'main',
  batch_size: 2,
  max_agents: 7,
  trust: 'enforce',
  review: true,
  allow_red: ['tests'],
  agents: { format: { command: ['npx', 'prettier'], env: { A: '1: # "x"' } } },
  agent: 'format',
  workspace: { setup: ['npm', 'ci'], setup_timeout: '90s', symlink: ['node_modules'], copy: ['.env.test'] },
  gates: [{ name: 'tests', command: ['npm', 'test'], required: false, timeout: 1.5, paths: ['src/'] }],
  stages: [
    {
      name: 'clean',
      steps: [
        {
          key: 'format',
          title: 'Format: the "sources" # all\n  of them',
          goal: '- yes\n- no: null\n\ttab',
          role: 'frontend',
          scope: 'xl',
          complexity: 'high',
          risk: 'medium',
          priority: 0,
          files: ['src/', 'docs/'],
          context: ['README.md'],
          signals: [
            { type: 'command_succeeds', command: ['npm', 'test'], timeout: '2h' },
            { type: 'file_contains', path: 'a', text: '# : {' },
          ],
          agent: { acp: ['gemini', '--acp'], mode: 'yolo' },
          model: 'm-1',
          effort: 'low',
          labels: ['gpu'],
          max_retries: 0,
          max_attempts: 9,
          not_before: '2030-01-01T00:00:00+02:00',
          timeout: '500ms',
          max_cost: 0.000001,
          approval: true,
          allow_red: ['tests'],
        },
        { title: 'yes' },
      ],
    },
    { name: 'prove', depends_on: ['clean'], steps: [{ title: '012' }] },
  ],
});

/** What the store would say of a run that was made of a plan. */
function stored(drafts: TaskDraft[]): Parameters<typeof planYaml>[0] {
  const run = {
    slug: 'tidy-1234',
    name: written.name,
    plan: written,
    target: written.target,
    budgetMicroUsd: written.budget?.usd ?? null,
    batchSize: written.batch_size,
    maxAgents: written.max_agents ?? null,
    trust: written.trust,
    review: written.review,
    allowRed: written.allow_red,
    agents: written.agents,
    defaultAgent: written.agent ?? null,
    workspace: written.workspace ?? null,
    gates: written.gates,
  } as unknown as Run;
  const tasks = drafts.map(
    ({ notBefore, dependsOn: _, ...draft }) =>
      ({
        ...draft,
        id: draft.key,
        parentId: null,
        tries: 0,
        notBefore: notBefore === null ? null : new Date(notBefore),
      }) as unknown as Task,
  );
  const dependencies = drafts.flatMap(({ key, dependsOn }) =>
    dependsOn.map((dependsOnId) => ({ taskId: key, dependsOnId })),
  );
  return { run, tasks, dependencies };
}

it('gives back the plan that a run was made of: the same tasks and settings, when it is parsed', () => {
  const drafts = planTasks(written, { source });
  const text = planYaml(stored(drafts));
  const again = plan.parse(parse(text));
  expect(planTasks(again, { source })).toEqual(drafts);
  const { stages: _, ...settings } = written;
  expect(again).toMatchObject(settings);
  expect(planYaml(stored(planTasks(again, { source })))).toBe(text);
});

it('leaves out subtasks, and the target that a run has by default', () => {
  const { run, tasks, dependencies } = stored(planTasks(written, { source }));
  const [parent, ...others] = tasks;
  const child = { ...parent, id: 'child', key: 'child', parentId: parent?.id } as Task;
  const text = planYaml({
    run: { ...run, target: 'baton/tidy-1234' },
    tasks: [parent as Task, ...others, child],
    dependencies,
  });
  expect(plan.parse(parse(text)).target).toBeUndefined();
  expect(text).not.toContain('child');
});
