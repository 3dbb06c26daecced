import { expect, it } from 'vitest';
import { BatonError, type Review } from '@baton/contracts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const usage = {
  model: 'm',
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  costMicroUsd: null,
  estimated: false,
};

it('books usage once per attempt and offset, in any order, and settles the reservation by it', async () => {
  const { runId } = await held.flow.open([draft('a', { maxCostMicroUsd: 800 })], { budgetMicroUsd: 1000 });
  const claim = await held.flow.claim(runId);
  const { attemptId } = holding(claim);
  const book = (offset: number, costMicroUsd: number) =>
    held.store.streams.recordUsage({ attemptId, offset, usage, costMicroUsd });
  expect(await book(2, 300)).toMatchObject({ spentMicroUsd: 300, capReached: false });
  await Promise.all([book(1, 200), book(1, 200), book(2, 300)]);
  expect(await held.store.runs.get(runId)).toMatchObject({ spentMicroUsd: 500, reservedMicroUsd: 300 });
  expect((await held.store.tasks.listAttempts({ runId }))[0]).toMatchObject({
    inputTokens: 26,
    outputTokens: 10,
    costMicroUsd: 500,
  });
  await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'drained' });
  expect(await book(3, 500)).toMatchObject({ spentMicroUsd: 1000, capReached: true });
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  const settled = await held.store.runs.settle(runId);
  expect(settled).toMatchObject({
    status: 'waiting',
    statusReason: `the budget is spent; raise it with \`baton budget <usd> ${settled.slug}\``,
  });
  const entries = await held.store.streams.usageEntries({ runId });
  expect(entries.map((entry) => entry.costMicroUsd)).toEqual([300, 200, 500]);
  expect(entries[0]).toMatchObject({ role: 'backend', model: 'm', estimated: false });
});

it('never binds more than the budget, however many claim at once', async () => {
  const { runId } = await held.flow.open(
    Array.from({ length: 30 }, (_, n) => draft(`t${n}`, { maxCostMicroUsd: 100 })),
    { budgetMicroUsd: 1050 },
  );
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      held.store.claims.claimBatch(request({ runId, workerId: `w${n}`, maxTasks: (n % 3) + 1 })),
    ),
  );
  const bound = claims.flatMap((claim) => claim?.tasks ?? []).length * 100;
  const run = await held.store.runs.get(runId);
  expect(run?.reservedMicroUsd).toBe(bound);
  expect(bound).toBeGreaterThanOrEqual(800);
  expect(bound).toBeLessThanOrEqual(1050);
});

it('writes each event once, in order, when the answer to an earlier write was lost', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const { attemptId } = holding(claim);
  const says = (text: string, ms: number, of: string | null = attemptId) => ({
    sessionId: claim.sessionId,
    attemptId: of,
    event: { type: 'message' as const, text, kind: 'stdout' as const },
    at: new Date(Date.UTC(2026, 0, 1) + ms),
  });
  const told = [says('one', 0), says('same', 1), says('same', 2)];
  await held.store.streams.append(told.slice(0, 2));
  await held.store.streams.append(told, { again: true });
  await held.store.streams.append(told, { again: true });
  const others = [says('one', 0, null), says('one', 3), says('two', 0)];
  await held.store.streams.append(others, { again: true });
  const all = await held.store.streams.events({ sessionId: claim.sessionId });
  expect(all.map(({ event, attemptId: of, at }) => ({ event, attemptId: of, at }))).toEqual(
    [...told, ...others].map(({ event, attemptId: of, at }) => ({ event, attemptId: of, at })),
  );
});

it('keeps what agents stream, in order', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const { attemptId } = holding(claim);
  const at = new Date(Date.UTC(2026, 0, 1));
  const says = (text: string) => ({
    sessionId: claim.sessionId,
    attemptId,
    event: { type: 'message' as const, text, kind: 'stdout' as const },
    at,
  });
  await held.store.streams.append([says('one'), says('two')]);
  await held.store.streams.append([says('three'), { ...says('four'), attemptId: null }]);
  const all = await held.store.streams.events({ sessionId: claim.sessionId });
  expect(all.map(({ event }) => (event.type === 'message' ? event.text : ''))).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
  expect(
    await held.store.streams.events({ taskId: tasks[0]?.id ?? '', after: all[0]?.id ?? '', limit: 1 }),
  ).toEqual([all[1]]);
  await held.store.streams.touchSession(claim.sessionId, { activity: 'committing', lastSignAt: at });
  expect((await held.store.tasks.sessions({ live: true, runId }))[0]).toMatchObject({
    activity: 'committing',
    lastSignAt: at,
  });
  await held.store.streams.setSalvage(holding(claim), 'refs/baton/salvage/a/1');
  expect((await held.store.tasks.attempts(tasks[0]?.id ?? ''))[0]?.salvageRef).toBe('refs/baton/salvage/a/1');
  await expect(held.store.streams.setSalvage({ ...holding(claim), fence: 99 }, 'x')).rejects.toSatisfy(
    (error) => BatonError.is(error, 'LEASE_LOST'),
  );
});

it('keeps what a reviewer said with the attempt that is at work, and takes nothing else for it', async () => {
  const { runId, tasks } = await held.flow.open([draft('reviewed')]);
  const claim = await held.flow.working(runId);
  const { streams } = held.store;
  const said: Review = {
    ...{ head: 'abc', by: { agent: 'codex', model: null }, unanswered: null },
    answers: [{ question: 'review', verdict: 'accept', confidence: 1, reasons: [] }],
    ...{ measured: { author: true, reviewer: true }, at: '2026-01-01T00:00:00.000Z' },
  };
  const isLost = (error: unknown) => BatonError.is(error, 'LEASE_LOST');
  await expect(streams.setReview({ ...holding(claim), fence: 99 }, said)).rejects.toSatisfy(isLost);
  await expect(
    streams.setReview(holding(claim), { ...said, head: 1 } as unknown as Review),
  ).rejects.toSatisfy((error) => BatonError.is(error, 'INVALID_INPUT'));
  const read = async () => (await held.store.tasks.attempts(tasks[0]?.id ?? ''))[0]?.review;
  expect(await read()).toBeNull();
  await streams.setReview(holding(claim), said);
  expect(await read()).toEqual(said);
  await held.flow.done(claim);
  await expect(streams.setReview(holding(claim), { ...said, head: 'later' })).rejects.toSatisfy(isLost);
  expect(await read()).toEqual(said);
});

it('makes tasks of a delivery once, in the standing run of its rule', async () => {
  const event = {
    source: 'github',
    deliveryId: 'd1',
    kind: 'issues.labeled',
    receivedAt: '2026-01-01T00:00:00Z',
    sender: 'alice',
    trusted: false,
    data: { n: 1 },
  };
  const match = {
    rule: 'triage',
    repo: { location: '/repo', host: 'here' },
    target: 'main',
    baseCommit: null,
    draft: draft('triage'),
    planned: true,
  };
  const answers = await Promise.all(
    [1, 2, 3].map(() => held.store.inbox.accept({ event, matches: [match] })),
  );
  expect(answers.map((answer) => answer.duplicate).sort()).toEqual([false, true, true]);
  expect(new Set(answers.map((answer) => answer.taskIds.join())).size).toBe(1);
  const second = await held.store.inbox.accept({ event: { ...event, deliveryId: 'd2' }, matches: [match] });
  const run = await held.store.runs.find('trigger-triage');
  const { items } = await held.store.tasks.list({ runId: run.id });
  expect(items.map((task) => [task.id, task.status])).toEqual([
    [answers[0]?.taskIds[0], 'PLANNED'],
    [second.taskIds[0], 'PLANNED'],
  ]);
  expect(
    (await held.store.inbox.deliveries({ limit: 10 })).map((delivery) => delivery.deliveryId).sort(),
  ).toEqual(['d1', 'd2']);
  expect((await held.store.runs.settle(run.id)).status).toBe('waiting');
});

it('registers workers, hears their heartbeats, and drains them', async () => {
  const worker = {
    id: 'node-1',
    name: 'n1',
    host: 'here',
    pid: 1,
    pidStarted: '1',
    bootId: 'b',
    capacity: 2,
    labels: ['gpu'],
    version: '0.0.0',
    runId: null,
  };
  expect(await held.store.workers.register(worker)).toMatchObject({ ...worker, status: 'online' });
  await held.store.workers.setStatus('node-1', 'draining', by);
  expect(await held.store.workers.heartbeat('node-1')).toMatchObject({ status: 'draining' });
  const { tasks } = await held.flow.open([draft('a')]);
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'workers_draining' });
  await held.store.feed.sequence();
  expect(await held.store.workers.register({ ...worker, pid: 2 })).toMatchObject({
    pid: 2,
    status: 'online',
  });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'ready' });
  const repo = { location: 'https://git.example.com/acme/app.git', host: null };
  const { tasks: odd } = await held.flow.open([draft('b', { labels: ['tpu', 'big disk'] })], { repo });
  expect(await held.store.tasks.explain(odd[0]?.id ?? '')).toMatchObject({
    cause: 'no_capable_worker',
    unblock: "start a worker with labels tpu, big disk: BATON_LABELS='tpu,big disk' baton up",
  });
  expect((await held.store.workers.list()).map(({ id }) => id)).toEqual(['node-1']);
  await expect(held.store.workers.heartbeat('nobody')).rejects.toSatisfy((error) =>
    BatonError.is(error, 'NOT_FOUND'),
  );
});

it('keeps keys hashed, and forgets revoked ones', async () => {
  await held.store.keys.create({ id: 'k1', name: 'ci', hash: 'h1', prefix: 'bt_ab', scopes: ['viewer'] });
  expect(await held.store.keys.byHash('h1')).toEqual({ id: 'k1', name: 'ci', scopes: ['viewer'] });
  await held.store.keys.revoke('k1');
  expect(await held.store.keys.byHash('h1')).toBeNull();
  const [key] = await held.store.keys.list();
  expect(key).toMatchObject({ id: 'k1', prefix: 'bt_ab' });
  expect(JSON.stringify(key)).not.toContain('h1');
});

it('says that a key to be revoked is not there, and revokes one once', async () => {
  await held.store.keys.create({ id: 'k2', name: 'ci', hash: 'h2', prefix: 'bt_ac', scopes: ['viewer'] });
  await held.store.keys.revoke('k2');
  const [before] = (await held.store.keys.list()).filter(({ id }) => id === 'k2');
  await held.store.keys.revoke('k2');
  expect((await held.store.keys.list()).filter(({ id }) => id === 'k2')).toEqual([before]);
  for (const id of ['ci', 'k', '0199c2d4-0000-7000-8000-000000000000'])
    await expect(held.store.keys.revoke(id)).rejects.toSatisfy(
      (error) => BatonError.is(error, 'NOT_FOUND') && error.fix?.includes('`baton keys list`') === true,
    );
});

it('remembers how far a reader has come', async () => {
  expect(await held.store.feed.getCursor('plugin')).toBe(0);
  await held.store.feed.setCursor('plugin', 17);
  expect(await held.store.feed.getCursor('plugin')).toBe(17);
});
