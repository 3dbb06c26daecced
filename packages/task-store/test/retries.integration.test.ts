import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { by, draft, request } from './support/builders.ts';
import { base, head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();

it('retries rejected work at once, from that work and with the reasons, until no try is left', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 1 })]);
  await held.flow.finish(runId);
  expect(await held.flow.reject(runId, 'rejected')).toMatchObject({
    status: 'OPEN',
    tries: 1,
    settled: false,
  });
  const again = await held.flow.claim(runId);
  expect(again.tasks[0]).toMatchObject({
    continueFrom: { startCommit: base, headCommit: head },
    rejections: ['tests are red'],
  });
  expect(again.tasks[0]?.attempt.number).toBe(2);
  await held.flow.launch(again);
  await held.flow.ready(again);
  await held.flow.done(again);
  expect(await held.flow.reject(runId, 'rejected', ['still red'])).toMatchObject({
    status: 'FAILED',
    tries: 2,
    settled: true,
  });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'retries_exhausted',
    settled: true,
    owner: 'a person',
  });
  expect((await held.store.runs.settle(runId)).status).toBe('failed');
});

it('continues from rejected work, with the reasons, also when the retry was lost with its worker', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  const lost = await held.flow.claim(runId);
  await held.flow.launch(lost);
  await held.flow.ready(lost);
  await held.flow.tell({
    fact: 'process_died',
    sessionId: lost.sessionId,
    exitCode: null,
    abortReason: 'parent_aborted',
    reason: 'its worker process is gone',
  });
  const [orphan] = await held.store.claims.takeOrphans({
    workerId: 'w2',
    host: 'here',
    leaseMs: 60_000,
    runId,
  });
  const holding = { attemptId: orphan?.attempt.id ?? '', fence: orphan?.attempt.fence ?? 0 };
  await held.flow.tell({ fact: 'orphan_settled', holding, to: 'OPEN', reason: 'it was lost' });
  expect(await held.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({ status: 'OPEN', tries: 1 });
  expect((await held.flow.claim(runId)).tasks[0]).toMatchObject({
    continueFrom: { startCommit: base, headCommit: head },
    rejections: ['tests are red'],
  });
});

it('does not count the first five conflicts, and begins afresh after each', async () => {
  const { runId } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  for (let n = 1; n <= 5; n++) {
    await held.flow.finish(runId);
    expect(await held.flow.reject(runId, 'conflict', ['a.ts conflicts'])).toMatchObject({
      status: 'OPEN',
      tries: 0,
      conflicts: n,
    });
  }
  const claim = await held.flow.finish(runId);
  expect(claim.tasks[0]?.continueFrom).toBeNull();
  expect(await held.flow.reject(runId, 'conflict')).toMatchObject({
    status: 'FAILED',
    tries: 1,
    conflicts: 6,
    settled: true,
  });
});

it('keeps range and try of a task whose base was rejected', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  expect(await held.flow.reject(runId, 'base_rejected')).toMatchObject({ status: 'OPEN', tries: 0 });
  expect((await held.flow.claim(runId)).tasks[0]?.continueFrom).toEqual({
    startCommit: base,
    headCommit: head,
  });
});

it('reports to the lane an earlier sibling that was rejected', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b', { dependsOn: ['a'] })]);
  const claim = await held.flow.claim(runId, 2);
  await held.flow.launch(claim);
  await held.flow.ready(claim, 0);
  await held.flow.done(claim, 0);
  await held.flow.next(claim, 1);
  await held.flow.done(claim, 1);
  await held.flow.over(claim);
  await held.flow.reject(runId, 'rejected');
  const second = await held.flow.take(runId);
  expect(second.task.key).toBe('b');
  expect(second.rejectedBefore).toEqual({ taskId: claim.tasks[0]?.task.id, dependedOn: true });
});

it('waits 30 seconds, doubled each time, after a crash, and counts it', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 2 })]);
  const claim = await held.flow.working(runId);
  await held.flow.tell({
    fact: 'agent_failed',
    holding: holding(claim),
    reason: 'exit 1',
    outcome: 'crashed',
    salvageRef: 'refs/baton/salvage/a/1',
  });
  await held.flow.over(claim);
  const task = await held.store.tasks.get(tasks[0]?.id ?? '');
  expect(task).toMatchObject({ status: 'OPEN', tries: 1, claimable: false });
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'not_before',
    until: task?.notBefore,
  });
});

it('parks a rate-limited task until its reset, and does not count it', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const claim = await held.flow.working(runId);
  const notBefore = new Date(Date.UTC(2100, 0, 1));
  await held.flow.tell({
    fact: 'agent_failed',
    holding: holding(claim),
    reason: 'usage limit',
    outcome: 'rate_limited',
    notBefore,
  });
  expect(await held.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({
    status: 'OPEN',
    tries: 0,
    notBefore,
  });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'provider_parked',
    until: notBefore,
  });
});

it('gives work back that its provider did not answer for with a back-off, and a resumed run asks at once', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 }), draft('b')]);
  const id = tasks[0]?.id ?? '';
  const giveBack = async (because: 'parked' | 'provider_down', more: { notBefore?: Date } = {}) => {
    const claim = await held.flow.working(runId);
    const released = { fact: 'released', holding: holding(claim), reason: '503', because, ...more } as const;
    await held.flow.tell(released);
    await held.flow.over(claim);
  };
  await giveBack('provider_down');
  expect(await held.store.tasks.get(id)).toMatchObject({ status: 'OPEN', tries: 0, claimable: false });
  const told = await held.store.tasks.explain(id);
  expect(told).toMatchObject({
    cause: 'provider_parked',
    text: 'The provider of a fails (503); no try is counted.',
  });
  await held.store.runs.resume(runId, { actor: 'person', reason: 'again' });
  expect(await held.store.tasks.get(id)).toMatchObject({ notBefore: null, claimable: true });
  const notBefore = new Date(Date.UTC(2100, 0, 1));
  await giveBack('parked', { notBefore });
  expect(await held.store.tasks.get(id)).toMatchObject({ notBefore });
  await held.store.runs.resume(runId, { actor: 'person', reason: 'again' });
  expect((await held.flow.claim(runId)).tasks[0]?.task.key).toBe('a');
  const other = await held.flow.working(runId);
  const failed = { fact: 'agent_failed', outcome: 'agent_failed', reason: 'red' } as const;
  await held.flow.tell({ ...failed, holding: holding(other) });
  await held.flow.over(other);
  await held.store.runs.resume(runId, { actor: 'person', reason: 'again' });
  expect(await held.store.tasks.get(tasks[1]?.id ?? '')).toMatchObject({ status: 'OPEN', claimable: false });
});

it('takes a released task back at once, without counting', async () => {
  const { runId } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const claim = await held.flow.working(runId);
  await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'draining' });
  await held.flow.over(claim);
  expect((await held.flow.claim(runId)).tasks[0]?.attempt).toMatchObject({ number: 2 });
});

it('reopens run and parent when a person retries a failed child, with one more try', async () => {
  const { runId, tasks } = await held.flow.open([draft('parent')]);
  const claim = await held.flow.working(runId);
  await held.flow.tell({
    fact: 'decomposed',
    holding: holding(claim),
    children: [draft('child', { maxRetries: 0 })],
    reason: 'split',
  });
  await held.flow.over(claim);
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  const parentId = tasks[0]?.id ?? '';
  const child = await held.store.tasks.find('child', { runId });
  expect(child).toMatchObject({ status: 'FAILED', settled: true });
  expect(await held.store.tasks.get(parentId)).toMatchObject({
    status: 'BLOCKED',
    blockedOn: { task: child.id },
  });
  expect((await held.store.runs.settle(runId)).status).toBe('stuck');
  expect(await held.store.tasks.retry(child.id, by)).toMatchObject({ status: 'OPEN', settled: false });
  expect((await held.store.tasks.get(parentId))?.status).toBe('WAITING_FOR_SUBTASKS');
  expect((await held.store.runs.get(runId))?.status).toBe('running');
  await expect(held.store.tasks.retry(child.id, by)).rejects.toSatisfy((error) =>
    BatonError.is(error, 'CONFLICT'),
  );
  await held.flow.finish(runId);
  expect(await held.flow.landAll(runId)).toEqual(['child', 'parent']);
  expect((await held.store.runs.settle(runId)).status).toBe('done');
});

it('counts three spawn failures in a row as one try', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const died = { exitCode: 1, abortReason: 'unknown', reason: 'exit before ready' } as const;
  const statuses = [];
  for (let n = 0; n < 3; n++) {
    const claim = await held.flow.claim(runId);
    await held.flow.launch(claim);
    await held.flow.tell({ fact: 'process_died', sessionId: claim.sessionId, ...died });
    const task = await held.store.tasks.get(tasks[0]?.id ?? '');
    statuses.push([task?.status, task?.tries]);
    await held.makeDue();
  }
  expect(statuses).toEqual([
    ['OPEN', 0],
    ['OPEN', 0],
    ['FAILED', 1],
  ]);
});

it('wakes what is due without a whole round of upkeep', async () => {
  const { runId, tasks } = await held.flow.open([draft('later', { notBefore: '2999-01-01T00:00:00.000Z' })]);
  expect(await held.store.claims.wake({ actor: 'upkeep' })).toBe(0);
  await held.makeDue();
  expect(await held.store.claims.wake({ actor: 'upkeep' })).toBeGreaterThan(0);
  expect((await held.store.tasks.get(tasks[0]?.id ?? ''))?.claimable).toBe(true);
  expect((await held.flow.claim(runId)).tasks).toHaveLength(1);
});
