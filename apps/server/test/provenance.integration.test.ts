import { gate } from '@baton/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import type { RunningServer } from '../src/compose.ts';
import { draft, nowhere, twoSteps, type PlanFile } from './plans.ts';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
let server: RunningServer;
let operator: BatonClient;
let worker: BatonClient;

const pinned = [gate.parse({ name: 'tests', command: ['npm', 'test'] })];

beforeAll(async () => {
  bench = await createBench();
  const agents = { format: { command: ['true'] } };
  const routing = { reviewer: { agent: 'codex', timeout: 1000 } };
  server = await bench.serve({
    repo: nowhere.location,
    runDefaults: { gates: pinned, agents, defaultAgent: 'format', workspace: null, routing },
  });
  operator = await bench.client(server, 'operator');
  worker = await bench.client(server, 'worker');
});
afterAll(() => bench[Symbol.asyncDispose]());

const plan = (more: Partial<PlanFile> = {}): PlanFile => twoSteps({ agents: {}, ...more });
const submit = (more: Partial<PlanFile> = {}, repo = nowhere) =>
  operator.plans.submit.mutate({ plan: plan(more), repo });

test('a task needs nothing but its key: the rest is as a plan would have it', async () => {
  const { run } = await submit();
  const [bare] = await operator.tasks.create.mutate({ runId: run.id, tasks: [{ key: 'bare' }] });
  expect(bare).toMatchObject({
    ...{ key: 'bare', title: 'bare', goal: 'bare', role: 'backend', scope: 'medium', priority: 2, files: [] },
    source: { kind: 'api', by: 'api:test-operator', trusted: true },
  });
  const misspelt = { runId: run.id, tasks: [{ key: 'b', depends_on: ['bare'] }] };
  await expect(operator.tasks.create.mutate(misspelt)).rejects.toMatchObject({
    message: expect.stringContaining('depends_on') as string,
    data: { httpStatus: 400 },
  });
});

test('where a task comes from is set by the server, whatever its draft claims', async () => {
  const { run } = await submit();
  const claims = [
    draft('claims', { source: { kind: 'plan', by: 'operator:root', trusted: true, depth: 0 } }),
    draft('humble', { source: { kind: 'goal', by: 'somebody', trusted: false } }),
  ];
  const [claimed, humble] = await operator.tasks.create.mutate({ runId: run.id, tasks: claims });
  expect(claimed).toMatchObject({
    status: 'OPEN',
    source: { kind: 'api', by: 'api:test-operator', trusted: true },
  });
  expect(humble).toMatchObject({ status: 'PLANNED', source: { kind: 'api', trusted: false } });
});

test.each([
  ['trusted', true, true, 'OPEN'],
  ['untrusted', false, true, 'PLANNED'],
  ['trusted, though the agent trusts a piece less', true, false, 'PLANNED'],
])(
  'what is split off a task that is %s is trusted no further',
  async (_, parentTrusted, childTrusted, status) => {
    const { run } = await submit();
    const source = { kind: 'trigger', by: 'rule', trusted: parentTrusted } as const;
    const [parent] = await bench.store.tasks.add(run.id, {
      actor: 'test',
      reason: 'test',
      drafts: [draft('parent', { source })],
      planned: true,
    });
    const taskId = parent?.id ?? '';
    await operator.plans.approve.mutate({ run: run.id, reason: 'a person said so', taskIds: [taskId] });
    const workerId = crypto.randomUUID();
    const place = { host: 'here', pid: 1, pidStarted: '1', bootId: 'b', capacity: 1, version: '1' };
    await worker.workers.register.mutate({ id: workerId, name: 'w', ...place });
    const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities: { host: 'here' } });
    const attempt = claim?.tasks[0]?.attempt;
    const held = {
      sessionId: claim?.sessionId ?? '',
      holding: { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 },
    };
    const commit = 'a'.repeat(40);
    const started = { adapter: 'command', workspace: '/w', baseCommit: commit, startCommit: commit };
    await worker.tasks.start.mutate({ ...held, ...started });
    const child = draft('child', { source: { kind: 'plan', by: 'operator:root', trusted: childTrusted } });
    await worker.tasks.decompose.mutate({ ...held, reason: 'too large', children: [child] });
    const { items } = await operator.tasks.list.query({ runId: run.id, parentId: taskId });
    expect(items).toMatchObject([
      { key: 'child', status, source: { kind: 'agent', trusted: parentTrusted && childTrusted } },
    ]);
    expect(items[0]?.source.by).toContain(taskId);
  },
);

test('a submitted plan is judged by what is pinned for its repository, and adds to it', async () => {
  const lint = { name: 'lint', command: ['npm', 'run', 'lint'] };
  const { run } = await submit({ gates: [lint] });
  expect((await operator.runs.get.query({ run: run.id })).gates.map(({ name }) => name)).toEqual([
    'tests',
    'lint',
  ]);
  const bare = await submit();
  expect(bare.run).toMatchObject({ gates: pinned, defaultAgent: 'format' });
  // Whose commits land, and how reds are confirmed, is not for the sender to say.
  const told = await submit({ history: 'merge', flaky_above: 20, commits: { author: 'A <a@x>' } });
  for (const key of ['history', 'flaky_above', 'commits']) expect(told.run.plan).not.toHaveProperty(key);
});

test('the pin holds for the repository however its place is written', async () => {
  const spellings = [nowhere.location.replace(/\.git$/, ''), `${nowhere.location}/`];
  for (const location of spellings) {
    const { run } = await submit({}, { ...nowhere, location });
    expect(
      run.gates.map(({ name }) => name),
      location,
    ).toEqual(['tests']);
  }
  const { run } = await submit({}, { ...nowhere, location: `${nowhere.location}x` });
  expect(run.gates, 'another repository').toEqual([]);
});

test.each([
  ['a gate of the same name', 'gates.0', { gates: [{ name: 'tests', command: ['true'] }] }],
  ['a gate made optional', 'gates.0', { gates: [{ ...pinned[0], timeout: 600, required: false }] }],
  ['a gate let red on the base', 'allow_red.0', { allow_red: ['tests'] }],
  ['an agent of the same name', 'agents.format', { agents: { format: { command: ['sh'] } } }],
  ["an agent of the reviewer's name", 'agents.codex', { agents: { codex: { command: ['sh'] } } }],
])('a plan that replaces what is pinned is refused: %s', async (_, at, more) => {
  await expect(submit(more as Partial<PlanFile>)).rejects.toMatchObject({
    data: { httpStatus: 400, baton: { code: 'PLAN_INVALID', at } },
  });
});

test('a step may not let a pinned gate be red', async () => {
  const steps = [
    { key: 'a', title: 'A' },
    { key: 'b', title: 'B', allow_red: ['tests'] },
  ];
  await expect(submit({ stages: [{ name: 'all', steps }] })).rejects.toMatchObject({
    data: { baton: { code: 'PLAN_INVALID', at: 'stages.0.steps.1.allow_red.0' } },
  });
});
