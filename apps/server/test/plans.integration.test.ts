import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import type { RunningServer } from '../src/compose.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

let bench: Bench;
let server: RunningServer;
let operator: BatonClient;

beforeAll(async () => {
  bench = await createBench();
  server = await bench.serve({
    plugins: [{ name: 'task-guard', options: { forbid: ['infra/'], addLabels: ['looked-at'] } }],
  });
  operator = await bench.client(server, 'operator');
});
afterAll(() => bench[Symbol.asyncDispose]());

const submit = (more: Parameters<typeof twoSteps>[0] = {}) =>
  operator.plans.submit.mutate({ plan: twoSteps(more), repo: nowhere });

test('a submitted plan waits, an approved one is open, and its tasks are visible with their order', async () => {
  const { run, tasks } = await submit({ budget: { usd: 1.5 } });
  expect(tasks.map(({ key, status }) => [key, status])).toEqual([
    ['format', 'PLANNED'],
    ['log', 'PLANNED'],
  ]);
  expect(run).toMatchObject({ target: `baton/${run.slug}`, budgetMicroUsd: 1_500_000 });
  expect(await operator.plans.approve.mutate({ run: run.slug, reason: 'looks right' })).toEqual({
    approved: 2,
  });
  const listed = await operator.tasks.list.query({ runId: run.id, status: ['OPEN'] });
  expect(listed.items.map(({ key }) => key).sort()).toEqual(['format', 'log']);
  const [format, log] = ['format', 'log'].map((name) => tasks.find(({ key }) => key === name)?.id ?? '');
  expect((await operator.tasks.graph.query({ runId: run.id })).edges).toEqual([
    { taskId: log, dependsOnId: format, satisfied: false },
  ]);
  expect(await operator.tasks.explain.query({ taskId: log ?? '' })).toMatchObject({ cause: 'dependency' });
  const history = await operator.tasks.history.query({ taskId: format ?? '' });
  expect(history.map(({ to }) => to)).toEqual(['PLANNED', 'OPEN']);
  expect(history.at(-1)?.actor).toBe('api:test-operator');
  const overview = await operator.status.overview.query({ run: run.slug });
  expect(overview.tasks).toMatchObject({ OPEN: 2 });
});

test('a plan with pull requests is refused with a way out that works: a target, a checkout, or no landing', async () => {
  const refused = async (
    more: Parameters<typeof twoSteps>[0],
    repo: { location: string; host: string | null },
  ) => {
    const error = await operator.plans.submit
      .mutate({ plan: twoSteps(more), repo })
      .catch((one: unknown) => one);
    return (error as { data: { baton: { code: string; at: string; fix: string } } }).data.baton;
  };
  const landing = 'pull_request' as const;
  const checkout = { location: '/srv/shop', host: 'builder' };
  const unnamed = await refused({ landing }, checkout);
  expect(unnamed).toMatchObject({ code: 'PLAN_INVALID', at: 'target' });
  const [key = '', value] = (/`(.+)`/.exec(unnamed.fix)?.[1] ?? '').split(': ');
  const named = await operator.plans.submit.mutate({
    plan: twoSteps({ landing, [key]: value }),
    repo: checkout,
  });
  expect(named.run.target).toBe(`baton/${named.run.slug}-upstream`);
  const remote = await refused({ landing, target: 'main' }, nowhere);
  expect(remote).toMatchObject({ code: 'PLAN_INVALID', at: 'landing' });
  expect(remote.fix).toContain('a checkout on the host of a worker');
  const left = /leave `(.+)` out/.exec(remote.fix)?.[1] ?? '';
  const { [left]: _, ...without } = { landing, target: 'main' } as Record<string, unknown>;
  const landed = await operator.plans.submit.mutate({ plan: twoSteps(without), repo: nowhere });
  expect(landed.run.target).toBe('main');
});

test('a rejected plan is cancelled', async () => {
  const { run } = await submit();
  expect(await operator.plans.reject.mutate({ run: run.id, reason: 'not now' })).toEqual({ rejected: 2 });
  const { items } = await operator.tasks.list.query({ runId: run.id });
  expect(items.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
});

test('secrets written into a plan are not shown to those who read it', async () => {
  const { run } = await submit();
  const seen = await operator.runs.get.query({ run: run.id });
  expect(JSON.stringify(seen)).not.toContain('a-secret-in-the-plan');
  expect(seen.agents['format']).toMatchObject({ env: { TOKEN: '[hidden]', OTHER: '${OTHER}' } });
  expect((await bench.store.runs.get(run.id))?.agents['format']).toMatchObject({
    env: { TOKEN: 'a-secret-in-the-plan' },
  });
});

test('a plugin refuses a task through the API, and none of its request is created', async () => {
  const { run } = await submit();
  const request = { runId: run.id, tasks: [draft('fine'), draft('risky', { files: ['infra/prod'] })] };
  await expect(operator.tasks.create.mutate(request)).rejects.toMatchObject({
    message: expect.stringContaining('task-guard') as string,
    data: { httpStatus: 409, baton: { code: 'PLUGIN_VETO', at: 'risky' } },
  });
  const { items } = await operator.tasks.list.query({ runId: run.id });
  expect(items.map(({ key }) => key).sort()).toEqual(['format', 'log']);
  const [fine] = await operator.tasks.create.mutate({ runId: run.id, tasks: [draft('fine')] });
  expect(fine).toMatchObject({ status: 'OPEN', labels: ['looked-at'] });
  const [report] = await operator.plugins.report.query();
  expect(report).toMatchObject({ name: 'task-guard', state: 'ready', vetoes: 1 });
});

test('a plan with a task that a plugin refuses is not created at all', async () => {
  const steps = [{ key: 'bad', title: 'Change production', files: ['infra/'] }];
  const before = (await operator.runs.list.query({})).items.length;
  await expect(submit({ stages: [{ name: 'all', steps }] })).rejects.toMatchObject({
    data: { baton: { code: 'PLUGIN_VETO' } },
  });
  expect((await operator.runs.list.query({})).items).toHaveLength(before);
});

test('runs are paused, resumed and cancelled by a named person, each with a reason', async () => {
  const { run } = await submit();
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  expect(await operator.runs.pause.mutate({ run: run.slug, reason: 'lunch' })).toMatchObject({
    status: 'paused',
  });
  expect(await operator.runs.resume.mutate({ run: run.slug, reason: 'back' })).toMatchObject({
    status: 'running',
  });
  await operator.runs.cancel.mutate({ run: run.slug, reason: 'enough' });
  const { items } = await operator.tasks.list.query({ runId: run.id });
  expect(items.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
});

test('the budget of a run is raised once by a command, lifted, and not set below what it spent', async () => {
  const { run } = await submit({ budget: { usd: 1 } });
  const raise = { run: run.slug, capMicroUsd: 3_000_000, reason: 'worth it', commandId: 'raise-once' };
  expect(await operator.runs.setBudget.mutate(raise)).toMatchObject({ budgetMicroUsd: 3_000_000 });
  const lift = { run: run.slug, capMicroUsd: null, reason: 'no limit' };
  expect(await operator.runs.setBudget.mutate(lift)).toMatchObject({ budgetMicroUsd: null });
  expect(await operator.runs.setBudget.mutate(raise)).toMatchObject({ budgetMicroUsd: null });
  const history = await bench.store.tasks.history({ machine: 'run', entityId: run.id });
  expect(
    history.filter(({ event }) => event === 'budget').map(({ actor, reason }) => [actor, reason]),
  ).toEqual([
    [expect.stringMatching(/^api:/), 'worth it'],
    [expect.stringMatching(/^api:/), 'no limit'],
  ]);
  await expect(operator.runs.setBudget.mutate({ ...lift, capMicroUsd: -1 })).rejects.toMatchObject({
    data: { baton: { code: 'INVALID_INPUT' } },
  });
});

test('a task is cancelled once, however often the same command comes', async () => {
  const { run, tasks } = await submit();
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  const taskId = tasks.find(({ key }) => key === 'log')?.id ?? '';
  const command = { taskId, reason: 'not needed', commandId: 'cancel-1' };
  expect(await operator.tasks.cancel.mutate(command)).toMatchObject({ status: 'CANCELLED' });
  expect(await operator.tasks.cancel.mutate(command)).toMatchObject({ status: 'CANCELLED' });
  const moves = (await operator.tasks.history.query({ taskId })).filter(({ to }) => to === 'CANCELLED');
  expect(moves).toHaveLength(1);
});

test('costs, gates, stalls and health of a run are there to be read', async () => {
  const { run } = await submit({ gates: [{ name: 'tests', command: ['npm', 'test'] }], budget: { usd: 2 } });
  expect(await operator.costs.report.query({ run: run.id })).toMatchObject({
    budgetMicroUsd: 2_000_000,
    spentMicroUsd: 0,
  });
  expect(await operator.quality.gates.query({ run: run.id })).toMatchObject({
    gates: [{ name: 'tests', required: true, timeout: 600_000 }],
    baseVerdict: null,
  });
  const stalls = await operator.observability.stalls.query({ run: run.id });
  expect(stalls.tasks.map(({ cause }) => cause)).toEqual(['plan_approval', 'plan_approval']);
  expect(await operator.observability.health.query()).toMatchObject({
    ok: true,
    silentWorkers: [],
    triggersProblem: null,
  });
});

test('nothing can be added to a cancelled run, and the answer says what to do instead', async () => {
  const { run } = await submit();
  await operator.runs.cancel.mutate({ run: run.id, reason: 'no longer wanted' });
  const added = operator.tasks.create.mutate({ runId: run.id, tasks: [draft('late')] });
  await expect(added).rejects.toMatchObject({
    data: {
      httpStatus: 409,
      baton: { code: 'CONFLICT', fix: expect.stringContaining('another run') as string },
    },
  });
  const { items } = await operator.tasks.list.query({ runId: run.id });
  expect(items.map(({ key }) => key).sort()).toEqual(['format', 'log']);
});
