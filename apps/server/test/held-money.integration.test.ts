import { pathToFileURL } from 'node:url';
import { createRepo, type TestRepo } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

const workerId = '0199c2d4-0000-7000-8000-000000000002';
const capabilities = { host: 'elsewhere', labels: [] };

let bench: Bench;
let app: TestRepo;
let range: { baseCommit: string; startCommit: string };
let operator: BatonClient;
let worker: BatonClient;

beforeAll(async () => {
  bench = await createBench();
  app = await createRepo({ 'readme.txt': 'hello\n' });
  const head = await app.git('rev-parse', 'HEAD');
  range = { baseCommit: head, startCommit: head };
  const server = await bench.serve();
  operator = await bench.client(server, 'operator');
  worker = await bench.client(server, 'worker');
  const { host } = capabilities;
  const process = { host, pid: 7, pidStarted: '1', bootId: 'b', capacity: 1, version: '0.0.0' };
  await worker.workers.register.mutate({ id: workerId, name: 'far-away', ...process });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** A run of a plan with a budget of $2, and how its money is. */
async function open(more: { max_cost?: number } = {}, unmeasured: 'book' | 'refuse' = 'book') {
  const plan = twoSteps({ budget: { usd: 2, unmeasured } });
  Object.assign(plan.stages[0]?.steps[0] ?? {}, more);
  const { run, tasks } = await operator.plans.submit.mutate({
    plan,
    repo: { location: pathToFileURL(app.path).href, host: null },
  });
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  const taskId = tasks.find(({ key }) => key === 'format')?.id ?? '';
  const money = async () => {
    const { spentMicroUsd, reservedMicroUsd, unmeasuredMicroUsd } = await operator.runs.get.query({
      run: run.id,
    });
    return { spentMicroUsd, reservedMicroUsd, unmeasuredMicroUsd };
  };
  return { taskId, money };
}

/** Claims it; gives what reports name. */
async function take(taskId: string) {
  const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  if (!claim || !attempt) throw new Error('not claimed');
  return { sessionId: claim.sessionId, holding: { attemptId: attempt.id, fence: attempt.fence } };
}

/** The call that starts an agent for it. */
const startOf = (held: Awaited<ReturnType<typeof take>>, adapter: string) => ({
  ...{ ...held, ...range, adapter, workspace: '/somewhere' },
  commandId: `start-${adapter}-${held.holding.attemptId}`,
});

/** Claims and starts it; gives what each report shows. */
async function begin(taskId: string, adapter: string) {
  const held = await take(taskId);
  const start = startOf(held, adapter);
  await worker.tasks.start.mutate(start);
  return { held, start };
}

const last = async (taskId: string) => (await operator.tasks.attempts.query({ taskId })).at(-1);

test('what a worker over HTTP does not report is booked at what it could have spent', async () => {
  const { taskId, money } = await open();
  const { held } = await begin(taskId, 'claude');
  expect(await money()).toEqual({ spentMicroUsd: 0, reservedMicroUsd: 1_000_000, unmeasuredMicroUsd: 0 });
  await worker.tasks.fail.mutate({ ...held, reason: 'the agent gave up' });
  expect(await money()).toEqual({
    spentMicroUsd: 1_000_000,
    reservedMicroUsd: 0,
    unmeasuredMicroUsd: 1_000_000,
  });
  expect(await last(taskId)).toMatchObject({
    unmeasuredReason: 'Its worker did not report what it cost.',
  });
});

test('what it reports is booked once, whichever report ends the work, and the rest is free', async () => {
  const { taskId, money } = await open();
  const { held, start } = await begin(taskId, 'claude');
  const done = { ...held, ...range, headCommit: range.startCommit, costMicroUsd: 300_000, commandId: 'done' };
  for (const _ of [1, 2]) expect(await worker.tasks.complete.mutate(done)).toEqual({ taskStatus: 'DONE' });
  await worker.tasks.start.mutate(start); // sent again, late
  expect(await last(taskId)).toMatchObject({ meter: 'measured', costMicroUsd: 300_000 });
  expect(await money()).toEqual({ spentMicroUsd: 300_000, reservedMicroUsd: 0, unmeasuredMicroUsd: 0 });

  const other = await open();
  const { held: given } = await begin(other.taskId, 'claude');
  await worker.tasks.release.mutate({ ...given, reason: 'no time', costMicroUsd: 200_000 });
  expect(await other.money()).toMatchObject({ spentMicroUsd: 200_000, reservedMicroUsd: 0 });
});

test('work that cost more than its max_cost is not accepted, and a command counts as one does elsewhere', async () => {
  const { taskId } = await open({ max_cost: 0.5 });
  const { held } = await begin(taskId, 'claude');
  const done = { ...held, ...range, headCommit: range.startCommit };
  await worker.tasks.complete.mutate({ ...done, costMicroUsd: 500_001 });
  expect(await operator.tasks.get.query({ taskId })).toMatchObject({ status: 'FAILED', settled: true });
  expect(await last(taskId)).toMatchObject({ outcome: 'max_cost', costMicroUsd: 500_001 });

  for (const [more, spent] of [
    [{}, 0],
    [{ max_cost: 0.25 }, 250_000],
  ] as const) {
    const free = await open(more);
    const command = await begin(free.taskId, 'command');
    await worker.tasks.fail.mutate({ ...command.held, reason: 'exit 1' });
    expect(await free.money()).toMatchObject({ spentMicroUsd: spent, reservedMicroUsd: 0 });
  }
});

test('an agent that did not report all it spent is not started again where the plan refuses that', async () => {
  const { taskId, money } = await open({}, 'refuse');
  const { held, start } = await begin(taskId, 'claude');
  await worker.tasks.release.mutate({ ...held, reason: 'no time' });
  await worker.tasks.start.mutate(start); // sent again, late
  const spent = await money();
  const again = await take(taskId);
  await expect(worker.tasks.start.mutate(startOf(again, 'claude'))).rejects.toMatchObject({
    data: { baton: { code: 'PRICE_UNKNOWN', at: 'adapter' } },
  });
  await worker.tasks.start.mutate(startOf(again, 'other'));
  await worker.tasks.release.mutate({ ...again, reason: 'no time', costMicroUsd: 0 });
  expect(await money()).toEqual(spent);
});
