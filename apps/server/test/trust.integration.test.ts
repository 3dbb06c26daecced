import { pathToFileURL } from 'node:url';
import { createRepo, type TestRepo } from '@baton/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BatonClient } from '../src/client.ts';
import { draft, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

const workerId = '0199c2d4-0000-7000-8000-000000000002';
const capabilities = { host: 'elsewhere', labels: [] };

let bench: Bench;
let app: TestRepo;
let start: string;
let operator: BatonClient;
let worker: BatonClient;
let runId: string;
let repoId: string;

beforeAll(async () => {
  bench = await createBench();
  app = await createRepo({ 'readme.txt': 'hello\n' });
  start = await app.git('rev-parse', 'HEAD');
  const server = await bench.serve();
  operator = await bench.client(server, 'operator');
  worker = await bench.client(server, 'worker');
  const { run } = await operator.plans.submit.mutate({
    plan: twoSteps({ trust: 'enforce' }),
    repo: { location: pathToFileURL(app.path).href, host: null },
  });
  ({ id: runId, repoId } = run);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** A task from the API, whose agents start without trust, claimed and begun. */
async function begun(key: string) {
  const [task] = await operator.tasks.create.mutate({ runId, tasks: [draft(key)] });
  const taskId = task?.id ?? '';
  const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  if (!claim || !attempt) throw new Error('not claimed');
  const held = {
    sessionId: claim.sessionId,
    holding: { attemptId: attempt.id, fence: attempt.fence },
  };
  await worker.tasks.start.mutate({
    ...held,
    ...{ adapter: 'by-hand', workspace: '/somewhere', baseCommit: start, startCommit: start },
  });
  return { taskId, held };
}

/** Its work is finished, and a person's yes lands it. */
async function landed(key: string): Promise<void> {
  const { held } = await begun(key);
  const head = await app.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', key);
  const range = { baseCommit: start, startCommit: start, headCommit: head };
  await worker.tasks.complete.mutate({ ...held, ...range });
  const { store } = bench;
  const run = await store.runs.get(runId);
  const lane = await store.lanes.acquire({ repoId, target: run?.target ?? '', workerId, leaseMs: 60_000 });
  if (lane === null) throw new Error('no lane');
  const take = async () => {
    const work = await store.lanes.takeForLanding(lane, { runId });
    if (work === null) throw new Error('nothing to land');
    return { attemptId: work.attempt.id, fence: work.attempt.fence };
  };
  const asked = { fact: 'approval_wanted', reason: 'new here', headCommit: head, patchId: 'p' } as const;
  await store.claims.record({ ...asked, holding: await take() }, { actor: 'janitor' });
  const [approval] = await store.approvals.list({ runId, status: 'waiting' });
  const by = { actor: 'operator:test', reason: 'read it' };
  await store.approvals.decide(approval?.id ?? '', { ...by, approve: true, nonce: approval?.nonce ?? '' });
  const holding = await take();
  const tree = `tree of ${key}`;
  const verdict = { tree, passed: true, checks: 'gates', results: [], reasons: [], durationMs: 1 } as const;
  const verdictId = await store.lanes.saveVerdict({
    holding,
    checksHash: 'h',
    verdict: { ...verdict, results: [], reasons: [] },
  });
  const holder = { workerId, host: 'elsewhere', pid: 1, pidStarted: '1', lockFiles: [] };
  const members = [{ holding, verdictId, candidateCommit: head }];
  const landings = await store.lanes.writeIntents({ lane, members, fromCommit: start, tree, holder });
  await store.lanes.confirm(landings?.[0] ?? '', { actor: 'janitor' });
}

test('an agent may split its task only once something of its landed', async () => {
  const first = await begun('first');
  const split = { reason: 'too large', children: [draft('one')] };
  await expect(worker.tasks.decompose.mutate({ ...first.held, ...split })).rejects.toMatchObject({
    data: { httpStatus: 403, baton: { code: 'TRANSITION_DENIED' } },
  });
  expect(await operator.tasks.get.query({ taskId: first.taskId })).toMatchObject({ status: 'IN_PROGRESS' });
  await worker.tasks.release.mutate({ ...first.held, reason: 'may not' });
  await landed('second');
  expect(await operator.trust.list.query({ repoId })).toMatchObject([
    { adapter: 'by-hand', role: 'backend', landed: 1, violations: 0, others: 'PROBATIONARY' },
  ]);
  const third = await begun('third');
  const { attemptId } = third.held.holding;
  expect(await operator.trust.of.query({ attemptId, move: 'decompose' })).toMatchObject({
    allowed: true,
    enforced: true,
    level: 'PROBATIONARY',
  });
  expect(await worker.tasks.decompose.mutate({ ...third.held, ...split })).toEqual({
    taskStatus: 'WAITING_FOR_SUBTASKS',
  });
});
