import { plan } from '@baton/contracts';
import { migrate, openStore } from '@baton/task-store';
import { createTestDatabase } from '@baton/testkit';
import { expect, it } from 'vitest';

import { createBench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';

const by = { actor: 'operator:tester', reason: 'test' };
const steps = [
  { key: 'build', title: 'Build it' },
  { key: 'prove', title: 'Prove it', depends_on: ['build'] },
];

it('baton graph draws what waits for what for Mermaid and Graphviz, gives it as JSON, and names the way out of mistakes', async () => {
  await using bench = await createBench();
  await using database = await createTestDatabase({
    migrate: () => Promise.resolve(),
    templateKey: 'empty',
  });
  await migrate(database.url);
  const store = await openStore({ url: database.url });
  const written = plan.parse({ name: 'drawn', stages: [{ name: 'all', steps }] });
  const { run, tasks } = await store.runs.create(runDraftOf(written, 'drawn-1'), by);
  await store.runs.approvePlan(run.id, { ...by, taskIds: [tasks[0]?.id ?? ''] });
  await store.close();
  const graph = (...args: string[]) =>
    bench.call(['graph', ...args], { env: { DATABASE_URL: database.url }, cwd: bench.home });

  const mermaid = await graph('drawn-1');
  expect(mermaid.exitCode, mermaid.stderr).toBe(0);
  const lines = mermaid.stdout.split('\n');
  expect(lines[0]).toBe('flowchart LR');
  expect(lines).toContain('  t1["build<br/>OPEN"]:::waits');
  expect(lines).toContain('  t2["prove<br/>PLANNED"]:::waits');
  expect(lines).toContain('  t1 --> t2');

  const dot = await graph('--format', 'dot');
  expect(dot.stdout.split('\n')[0]).toBe('digraph "drawn-1" {');
  expect(dot.stdout).toContain('  t1 -> t2;');

  const json = JSON.parse((await graph('drawn', '--json')).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({
    runId: run.id,
    slug: 'drawn-1',
    nodes: [
      { id: tasks[0]?.id, key: 'build', title: 'Build it', status: 'OPEN' },
      { id: tasks[1]?.id, key: 'prove', status: 'PLANNED' },
    ],
    edges: [{ taskId: tasks[1]?.id, dependsOnId: tasks[0]?.id, satisfied: false }],
  });

  const unknown = await graph('nothing-like-it', '--json');
  expect(unknown.exitCode).toBe(2);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const form = await graph('--format', 'svg');
  expect(form.exitCode).toBe(2);
  expect(form.stderr).toContain('mermaid, dot');
});
