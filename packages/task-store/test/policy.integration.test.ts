import { expect, it } from 'vitest';
import { BatonError, type TaskDraft } from '@baton/contracts';
import type { Claim, Fact, RunDraft, Store } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { head, holding, passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
let repos = 0;
/** A repository of the test's own, so that records do not mix. */
const fresh = (): Partial<RunDraft> => ({
  repo: { location: `/repo-${++repos}`, host: 'here' },
  trust: 'enforce',
});
const tampered = {
  name: 'tamper',
  kind: 'builtin',
  required: false,
  passed: false,
  reason: 'a test was deleted',
  durationMs: 1,
  cached: false,
} as const;

async function working(runId: string): Promise<Claim> {
  const claim = await held.flow.claim(runId);
  const holdings = [holding(claim)];
  const process = { pid: 1, pidStarted: '1', workspace: '/w', deadlineAt: null };
  const route = { agent: 'mason', model: 'm1' };
  await held.flow.tell({ fact: 'launched', holdings, adapter: 'acp', model: 'm1', ...process, route });
  await held.flow.ready(claim);
  return claim;
}

async function finished(runId: string): Promise<void> {
  const claim = await working(runId);
  await held.flow.done(claim);
  await held.flow.over(claim);
}

async function reject(runId: string, options: { tampered?: boolean } = {}): Promise<void> {
  const work = await held.flow.take(runId);
  const mine = { attemptId: work.attempt.id, fence: work.attempt.fence };
  if (options.tampered)
    await held.store.lanes.saveVerdict({
      holding: mine,
      checksHash: 'h',
      verdict: { ...passed('t'), passed: false, results: [tampered], reasons: ['red'] },
    });
  await held.flow.tell({ fact: 'rejected', holding: mine, kind: 'rejected', reasons: ['red'] });
}

const one = (given: Partial<TaskDraft> = {}) => draft('a', given);
const outside = { source: { kind: 'trigger', by: 'rule', trusted: true } } as const;

/** A run of one open task. */
async function open(given: Partial<TaskDraft>, run: Partial<RunDraft>) {
  const { runId, tasks } = await held.flow.open([one(given)], run);
  return { runId, taskId: tasks[0]?.id ?? '' };
}

it('ends work that came to nothing as often as the plan allows, though tries are left; a person grants one more', async () => {
  const { runId, taskId } = await open({ maxRetries: 5, maxAttempts: 2 }, {});
  await finished(runId);
  await reject(runId);
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'OPEN' });
  expect(await held.store.trust.completionBudget(taskId)).toEqual({ spent: 1, limit: 2, stage: 'ok' });
  await finished(runId);
  await reject(runId);
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'FAILED', settled: true, tries: 2 });
  const [last] = (await held.store.tasks.history({ machine: 'task', entityId: taskId })).slice(-1);
  expect(last?.metadata).toMatchObject({
    policy: { code: 'RETRY_BUDGET_EXCEEDED', completionBudget: { spent: 2, limit: 2, stage: 'end' } },
  });
  expect((await held.store.tasks.explain(taskId)).text).toMatch(/RETRY_BUDGET_EXCEEDED: 2 of 2 attempts/);
  const plugin = { actor: 'plugin:eager', reason: 'again' };
  await expect(held.store.tasks.retry(taskId, plugin)).rejects.toMatchObject({
    code: 'RETRY_BUDGET_EXCEEDED',
  });
  expect(await held.store.tasks.retry(taskId, by)).toMatchObject({ status: 'OPEN' });
  expect(await held.store.trust.completionBudget(taskId)).toEqual({ spent: 2, limit: 3, stage: 'warn' });
  await finished(runId);
  await reject(runId);
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'FAILED', settled: true });
});

it('ends work whose agent takes its worker down again and again, which costs no try', async () => {
  const { runId, taskId } = await open({ maxRetries: 0 }, {});
  for (let n = 1; n <= 10; n++) {
    const claim = await working(runId);
    const died = { exitCode: null, abortReason: 'parent_aborted', reason: 'its worker is gone' } as const;
    await held.flow.tell({ fact: 'process_died', sessionId: claim.sessionId, ...died });
    const [orphan] = await held.store.claims.takeOrphans({
      workerId: 'w1',
      host: 'here',
      leaseMs: 60_000,
      runId,
    });
    const mine = { attemptId: orphan?.attempt.id ?? '', fence: orphan?.attempt.fence ?? 0 };
    await held.flow.tell({ fact: 'orphan_settled', holding: mine, to: 'OPEN', reason: 'it was lost' });
    const status = n < 10 ? 'OPEN' : 'FAILED';
    expect(await held.store.tasks.get(taskId)).toMatchObject({ status, tries: 0 });
  }
});

it('adds a try that a person grants a subtask to the budget of the task it came from', async () => {
  const { runId, taskId } = await open({ maxAttempts: 1 }, {});
  const claim = await working(runId);
  const children = [draft('part', { maxRetries: 0 })];
  await held.flow.tell({ fact: 'decomposed', holding: holding(claim), children, reason: 'too big' });
  await held.flow.over(claim);
  await finished(runId);
  await reject(runId);
  expect(await held.store.trust.completionBudget(taskId)).toEqual({ spent: 1, limit: 1, stage: 'end' });
  await held.store.tasks.retry((await held.store.tasks.find('part', { runId })).id, by);
  expect(await held.store.trust.completionBudget(taskId)).toEqual({ spent: 1, limit: 2, stage: 'ok' });
});

it('counts what subtasks used up against the task they came from', async () => {
  const { runId, taskId } = await open({ maxAttempts: 2 }, {});
  const claim = await working(runId);
  const children = [draft('c1', { maxRetries: 9 }), draft('c2', { maxRetries: 9 })];
  await held.flow.tell({ fact: 'decomposed', holding: holding(claim), children, reason: 'too big' });
  await held.flow.over(claim);
  await finished(runId);
  await reject(runId);
  const next = await held.flow.claim(runId);
  await held.flow.launch(next);
  await held.flow.ready(next);
  const split: Extract<Fact, { fact: 'decomposed' }> = {
    fact: 'decomposed',
    holding: holding(next),
    children: [draft('c3')],
    reason: 'again',
  } as const;
  await held.flow.tell({
    fact: 'agent_failed',
    holding: holding(next),
    reason: 'no',
    outcome: 'agent_failed',
  });
  expect(await held.store.trust.completionBudget(taskId)).toMatchObject({ spent: 2, stage: 'end' });
  await held.makeDue();
  const last = await held.store.claims.claimBatch({
    workerId: 'w1',
    maxTasks: 1,
    leaseMs: 60_000,
    runId,
    capabilities: { host: 'here', labels: [] },
  });
  if (last === null) throw new Error('the other subtask may still be tried once');
  await held.flow.launch(last);
  await held.flow.ready(last);
  const refused = await held.store.claims.record(
    { ...split, holding: holding(last) },
    { actor: 'worker:w1' },
  );
  expect(refused).toMatchObject({ ok: false, code: 'RETRY_BUDGET_EXCEEDED' });
});

it('holds an agent without a record to a person’s yes, and lets it land once it has one', async () => {
  const place = fresh();
  const land = async (store: Store, approve: boolean) => {
    const { runId } = await open(outside, place);
    await finished(runId);
    const work = await held.flow.take(runId);
    const decision = await store.trust.of(work.attempt.id, 'land');
    if (!approve) return { work, decision, runId };
    const mine = { attemptId: work.attempt.id, fence: work.attempt.fence };
    const wanted = { reason: decision.text, headCommit: head, patchId: 'p' };
    await held.flow.tell({ fact: 'approval_wanted', holding: mine, ...wanted });
    const [approval] = await store.approvals.list({ runId });
    await store.approvals.decide(approval?.id ?? '', { ...by, approve: true, nonce: approval?.nonce ?? '' });
    await held.flow.land(await held.flow.take(runId));
    return { work, decision, runId };
  };
  const levels: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { decision } = await land(held.store, true);
    expect(decision).toMatchObject({ allowed: false, enforced: true });
    levels.push(decision.level);
  }
  expect(levels).toEqual(['UNTRUSTED', 'PROBATIONARY', 'PROBATIONARY']);
  const { decision, work } = await land(held.store, false);
  expect(decision).toMatchObject({
    allowed: true,
    level: 'TRUSTED',
    evidence: { landed: 3, agent: 'mason' },
  });
  await held.flow.land(work);
  const { repoId } = work.task;
  expect(await held.store.trust.list({ repoId })).toEqual([
    {
      ...{ repoId, agent: 'mason', adapter: 'acp', model: 'm1', role: 'backend' },
      ...{
        landed: 4,
        rejected: 0,
        violations: 0,
        lastViolation: null,
        ownPlan: 'TRUSTED',
        others: 'TRUSTED',
      },
    },
  ]);
});

it('refuses the landing itself when no person said yes, whatever the lane holder thinks', async () => {
  const { runId } = await open(outside, fresh());
  await finished(runId);
  const work = await held.flow.take(runId);
  const refusal = await held.flow.land(work).catch((error: unknown) => error);
  expect(BatonError.is(refusal, 'TRANSITION_DENIED')).toBe(true);
  expect(await held.store.tasks.landings({ runId })).toEqual([]);
});

it('takes a level from an agent that tampered, and with it the right to land alone', async () => {
  const place = fresh();
  const { runId } = await open({}, place);
  await finished(runId);
  await reject(runId, { tampered: true });
  await finished(runId);
  const work = await held.flow.take(runId);
  expect(await held.store.trust.of(work.attempt.id, 'land')).toMatchObject({
    allowed: false,
    level: 'PROBATIONARY',
    needed: 'TRUSTED',
    evidence: { violations: 1, lastViolation: 'a test was deleted' },
  });
});

it('only looks on where the plan says observe', async () => {
  const { runId } = await open(outside, { ...fresh(), trust: 'observe' });
  await finished(runId);
  const work = await held.flow.take(runId);
  expect(await held.store.trust.of(work.attempt.id, 'land')).toMatchObject({
    allowed: false,
    enforced: false,
  });
  expect(await held.flow.land(work)).toMatchObject({ taskId: work.task.id });
});

it.each([
  ['hold', undefined, 'refused'],
  ['tell', { weakened: 'tell' }, 'landed'],
] as const)(
  'keeps what its task may not weaken from landing unless the plan only reports it: %s',
  async (...row) => {
    const [, plan, outcome] = row;
    const { runId } = await open({}, { ...fresh(), trust: 'observe', plan });
    await finished(runId);
    const landed = held.flow.land(await held.flow.take(runId), [tampered]).then(
      () => 'landed',
      (error: unknown) => (BatonError.is(error, 'TRANSITION_DENIED') ? 'refused' : error),
    );
    expect(await landed).toBe(outcome);
  },
);

it('does not let an untrusted agent split its task or try again by itself', async () => {
  const { runId, taskId } = await open(outside, fresh());
  const claim = await working(runId);
  const split: Extract<Fact, { fact: 'decomposed' }> = {
    fact: 'decomposed',
    holding: holding(claim),
    children: [draft('c')],
    reason: 'too big',
  };
  const refused = await held.store.claims.record(split, { actor: 'worker:w1', commandId: 'split-1' });
  expect(refused).toMatchObject({ ok: false, code: 'TRANSITION_DENIED' });
  const notes = (await held.store.tasks.history({ machine: 'task', entityId: taskId })).filter(
    ({ kind }) => kind === 'refused',
  );
  expect(notes).toMatchObject([{ reason: expect.stringContaining('TRANSITION_DENIED') as string }]);
  await held.flow.done(claim);
  await held.flow.over(claim);
  await reject(runId);
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'FAILED', settled: true, tries: 1 });
  const [last] = (await held.store.tasks.history({ machine: 'task', entityId: taskId })).slice(-1);
  expect(last?.metadata).toMatchObject({ policy: { code: 'TRANSITION_DENIED' } });
  expect(await held.store.tasks.retry(taskId, by)).toMatchObject({ status: 'OPEN' });
});
