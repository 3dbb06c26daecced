import { pathToFileURL } from 'node:url';
import { createRepo, type TestRepo } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { draft, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

const workerId = '0199c2d4-0000-7000-8000-000000000004';
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
  const process = { host: 'elsewhere', pid: 7, pidStarted: '1', bootId: 'b', capacity: 1, version: '0.0.0' };
  await worker.workers.register.mutate({ id: workerId, name: 'far-away', ...process });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** An agent at work on a task of a run with $2, $1 of which is reserved for it. */
async function atWork() {
  const repo = { location: pathToFileURL(app.path).href, host: null };
  const { run, tasks } = await operator.plans.submit.mutate({ plan: twoSteps({ budget: { usd: 2 } }), repo });
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  const taskId = tasks.find(({ key }) => key === 'format')?.id ?? '';
  const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  if (!claim || !attempt) throw new Error('not claimed');
  const held = { sessionId: claim.sessionId, holding: { attemptId: attempt.id, fence: attempt.fence } };
  await worker.tasks.start.mutate({ ...held, ...range, adapter: 'claude', workspace: '/somewhere' });
  const money = async () => {
    const { spentMicroUsd, reservedMicroUsd, unmeasuredMicroUsd } = await operator.runs.get.query({
      run: run.id,
    });
    return { spentMicroUsd, reservedMicroUsd, unmeasuredMicroUsd };
  };
  return { held, money };
}

/** A report that is refused, though its sender holds the task: two children of one name. */
const refused = { reason: 'too large', children: [draft('same'), draft('same')] };

test('what an agent spends after a report that was refused is booked by the next one, once', async () => {
  const { held, money } = await atWork();
  for (const costMicroUsd of [0, 100_000])
    await expect(worker.tasks.decompose.mutate({ ...held, ...refused, costMicroUsd })).rejects.toThrow();
  expect(await money()).toMatchObject({ spentMicroUsd: 100_000, reservedMicroUsd: 900_000 });
  const done = { ...held, ...range, headCommit: range.startCommit, costMicroUsd: 700_000, commandId: 'done' };
  for (const _ of [1, 2]) await worker.tasks.complete.mutate(done);
  expect(await money()).toEqual({ spentMicroUsd: 700_000, reservedMicroUsd: 0, unmeasuredMicroUsd: 0 });
});

test('what an agent spends after a report that was refused is booked at its bound when no other comes', async () => {
  const { held, money } = await atWork();
  await expect(
    worker.tasks.decompose.mutate({ ...held, ...refused, costMicroUsd: 100_000 }),
  ).rejects.toThrow();
  await worker.tasks.fail.mutate({ ...held, reason: 'gave up' });
  const unmeasuredMicroUsd = 900_000;
  expect(await money()).toEqual({ spentMicroUsd: 1_000_000, reservedMicroUsd: 0, unmeasuredMicroUsd });
});

test('reports of several totals at once book the largest', async () => {
  const { held, money } = await atWork();
  const totals = [300_000, 600_000, 300_000, 500_000];
  await Promise.allSettled(
    totals.map((costMicroUsd) => worker.tasks.fail.mutate({ ...held, reason: 'gave up', costMicroUsd })),
  );
  expect(await money()).toEqual({ spentMicroUsd: 600_000, reservedMicroUsd: 0, unmeasuredMicroUsd: 0 });
});

test('a report without a cost that shows another fence leaves it to the holder to say what was spent', async () => {
  const { held, money } = await atWork();
  const other = { ...held, holding: { ...held.holding, fence: held.holding.fence + 1 } };
  await expect(worker.tasks.fail.mutate({ ...other, reason: 'x' })).rejects.toMatchObject({
    data: { baton: { code: 'LEASE_LOST' } },
  });
  await worker.tasks.fail.mutate({ ...held, reason: 'gave up', costMicroUsd: 200_000 });
  expect(await money()).toEqual({ spentMicroUsd: 200_000, reservedMicroUsd: 0, unmeasuredMicroUsd: 0 });
});
