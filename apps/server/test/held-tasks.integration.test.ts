import { pathToFileURL } from 'node:url';
import { createRepo, type TestRepo } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

const workerId = '0199c2d4-0000-7000-8000-000000000001';
const commit = (digit: string) => digit.repeat(40);

let bench: Bench;
let app: TestRepo;
let operator: BatonClient;
let worker: BatonClient;

beforeAll(async () => {
  bench = await createBench();
  app = await createRepo({ 'readme.txt': 'hello\n' });
  const server = await bench.serve({ plugins: [{ name: 'task-guard', options: { forbid: ['infra/'] } }] });
  operator = await bench.client(server, 'operator');
  worker = await bench.client(server, 'worker');
  await worker.workers.register.mutate({
    id: workerId,
    name: 'far-away',
    host: 'elsewhere',
    pid: 7,
    pidStarted: '1',
    bootId: 'b',
    capacity: 1,
    version: '0.0.0',
  });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** A commit in the repository that nothing names but what is told of it. */
const workOn = async (parent: string, message: string) =>
  app.git('commit-tree', `${parent}^{tree}`, '-p', parent, '-m', message);

let repos = 0;

/** The first task of a new, approved plan on a repository of its own, and the rest of it. */
async function openTask(location = `${nowhere.location}/${++repos}`): Promise<{
  taskId: string;
  otherId: string;
  runId: string;
}> {
  const repo = { ...nowhere, location };
  const { run, tasks } = await operator.plans.submit.mutate({ plan: twoSteps(), repo });
  await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
  const id = (key: string) => tasks.find((task) => task.key === key)?.id ?? '';
  return { taskId: id('format'), otherId: id('log'), runId: run.id };
}

const capabilities = { host: 'elsewhere', labels: [] };

async function claimed(location?: string) {
  const { taskId, otherId, runId } = await openTask(location);
  const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  const [first] = claim?.tasks ?? [];
  if (!claim || !first) throw new Error('not claimed');
  const holding = { attemptId: first.attempt.id, fence: first.attempt.fence };
  return { taskId, otherId, runId, claim, held: { sessionId: claim.sessionId, holding } };
}

const started = {
  adapter: 'by-hand',
  workspace: '/somewhere',
  baseCommit: commit('a'),
  startCommit: commit('a'),
};
const status = async (taskId: string) => (await operator.tasks.get.query({ taskId })).status;

test('a task is claimed by its id once, carried out and reported done; the lane does the rest', async () => {
  const { taskId, held, claim } = await claimed(pathToFileURL(app.path).href);
  // A worker starts agents, so it gets their definitions as they are.
  expect(claim.run.agents['format']).toMatchObject({ env: { TOKEN: 'a-secret-in-the-plan' } });
  expect(await worker.tasks.claim.mutate({ taskId, workerId, capabilities })).toBeNull();
  const startCommit = await app.git('rev-parse', 'HEAD');
  const begun = { ...started, baseCommit: startCommit, startCommit };
  expect(await worker.tasks.start.mutate({ ...held, ...begun })).toEqual({ taskStatus: 'IN_PROGRESS' });
  expect(
    await worker.agents.heartbeat.mutate({ sessionId: held.sessionId, activity: 'editing' }),
  ).toBeTruthy();
  const [session] = await operator.agents.sessions.query({ live: true, workerId });
  expect(session).toMatchObject({ adapter: 'by-hand', activity: 'editing', visual: 'RUNNING' });
  const headCommit = await workOn(startCommit, 'the work');
  const report = { ...held, baseCommit: startCommit, startCommit, headCommit, summary: 'Done.' };
  expect(await worker.tasks.complete.mutate(report)).toEqual({ taskStatus: 'DONE' });
  expect(await status(taskId)).toBe('DONE');
  const [attempt] = await operator.tasks.attempts.query({ taskId });
  expect(attempt).toMatchObject({ headCommit, summary: 'Done.', turnStatus: 'VERIFYING' });
  // Whoever lands it finds it under its own ref, and no garbage collection takes it away meanwhile.
  const ref = `refs/baton/attempts/${taskId}/${held.holding.fence}`;
  expect(attempt?.headPlace).toEqual({ at: 'repository', ref });
  expect(await app.git('rev-parse', ref)).toBe(headCommit);
  expect(await operator.agents.sessions.query({ live: true, workerId })).toEqual([]);
});

test('work is refused whose commit is not there, does not follow its start, or is that of another attempt', async () => {
  const location = `${pathToFileURL(app.path).href}/.git`;
  const { taskId, held, runId } = await claimed(location);
  const startCommit = await app.git('rev-parse', 'HEAD');
  await worker.tasks.start.mutate({ ...held, ...started, baseCommit: startCommit, startCommit });
  const orphan = await app.git('commit-tree', 'HEAD^{tree}', '-m', 'comes from nowhere');
  const range = { baseCommit: startCommit, startCommit };
  for (const [headCommit, code] of [
    [commit('b'), 'REF_INVALID'],
    [orphan, 'REF_INVALID'],
  ] as const) {
    await expect(worker.tasks.complete.mutate({ ...held, ...range, headCommit })).rejects.toMatchObject({
      data: { httpStatus: 400, baton: { code, fix: expect.any(String) as string } },
    });
  }
  expect(await status(taskId)).toBe('IN_PROGRESS');
  // The first try is given back; its commit does not count for the second.
  const first = await workOn(startCommit, 'first');
  await worker.tasks.complete.mutate({ ...held, ...range, headCommit: first });
  const lane = await bench.store.lanes.acquire({
    ...{ repoId: (await bench.store.runs.get(runId))?.repoId ?? '', workerId, leaseMs: 60_000 },
    target: (await bench.store.runs.get(runId))?.target ?? '',
  });
  const work = lane && (await bench.store.lanes.takeForLanding(lane, { runId }));
  const holding = { attemptId: work?.attempt.id ?? '', fence: work?.attempt.fence ?? 0 };
  await bench.store.claims.record(
    { fact: 'rejected', holding, kind: 'rejected', reasons: ['no'] },
    { actor: 'janitor' },
  );
  const again = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  const next = again?.tasks[0]?.attempt;
  const second = {
    sessionId: again?.sessionId ?? '',
    holding: { attemptId: next?.id ?? '', fence: next?.fence ?? 0 },
  };
  await worker.tasks.start.mutate({ ...second, ...started, baseCommit: startCommit, startCommit });
  await expect(
    worker.tasks.complete.mutate({ ...second, ...range, headCommit: first }),
  ).rejects.toMatchObject({ data: { httpStatus: 400, baton: { code: 'INVALID_INPUT' } } });
});

test('the same report twice has one effect and the same answer', async () => {
  const { taskId, held } = await claimed();
  await worker.tasks.start.mutate({ ...held, ...started, commandId: 'start-1' });
  expect(await worker.tasks.start.mutate({ ...held, ...started, commandId: 'start-1' })).toEqual({
    taskStatus: 'IN_PROGRESS',
  });
  const moves = await operator.tasks.history.query({ taskId });
  expect(moves.filter(({ to, kind }) => to === 'IN_PROGRESS' && kind === 'move')).toHaveLength(1);
});

test('a released task is free again and its try does not count; its old holder has lost it', async () => {
  const { taskId, held } = await claimed();
  expect(await worker.tasks.release.mutate({ ...held, reason: 'no time' })).toEqual({ taskStatus: 'OPEN' });
  expect(await operator.tasks.get.query({ taskId })).toMatchObject({ status: 'OPEN', tries: 0 });
  const again = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  expect(again?.tasks[0]?.attempt.fence).toBeGreaterThan(held.holding.fence);
  const late = worker.tasks.fail.mutate({ ...held, reason: 'too late' });
  await expect(late).rejects.toMatchObject({
    data: { httpStatus: 409, baton: { fix: expect.any(String) as string } },
  });
  expect(await status(taskId)).toBe('CLAIMED');
});

test('a failed task is tried again later, as its retries allow', async () => {
  const { taskId, held } = await claimed();
  await worker.tasks.start.mutate({ ...held, ...started });
  await worker.tasks.fail.mutate({ ...held, reason: 'the agent gave up' });
  expect(await operator.tasks.get.query({ taskId })).toMatchObject({ status: 'OPEN', tries: 1 });
});

test('a task is taken apart into smaller ones, which plugins see first', async () => {
  const { taskId, held, runId } = await claimed();
  await worker.tasks.start.mutate({ ...held, ...started });
  const refused = worker.tasks.decompose.mutate({
    ...held,
    reason: 'too large',
    children: [draft('x', { files: ['infra/'] })],
  });
  await expect(refused).rejects.toMatchObject({ data: { baton: { code: 'PLUGIN_VETO' } } });
  expect(await status(taskId)).toBe('IN_PROGRESS');
  const children = [draft('one'), draft('two', { dependsOn: ['one'] })];
  expect(await worker.tasks.decompose.mutate({ ...held, reason: 'too large', children })).toEqual({
    taskStatus: 'WAITING_FOR_SUBTASKS',
  });
  const { items } = await operator.tasks.list.query({ runId });
  expect(items.filter(({ parentId }) => parentId === taskId).map(({ key }) => key)).toEqual(['one', 'two']);
});

test('leases are renewed; a task that waits for another is not given out', async () => {
  const { otherId } = await claimed();
  expect(await worker.tasks.claim.mutate({ taskId: otherId, workerId, capabilities })).toBeNull();
  expect(await worker.tasks.renewLeases.mutate({ workerId })).toMatchObject({
    lost: [],
    cancelRequested: [],
  });
});

test('only a key of scope worker reports, and only for an attempt of its session', async () => {
  const { held, taskId } = await claimed();
  await expect(operator.tasks.release.mutate({ ...held, reason: 'x' })).rejects.toMatchObject({
    data: { httpStatus: 403 },
  });
  const stranger = { ...held, sessionId: '0199c2d4-0000-7000-8000-00000000ffff' };
  await expect(worker.tasks.release.mutate({ ...stranger, reason: 'x' })).rejects.toMatchObject({
    data: { httpStatus: 404 },
  });
  expect(await status(taskId)).toBe('CLAIMED');
});
