import { expect, it } from 'vitest';
import { manualClock } from '@baton/testkit';
import { openStore } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { base, head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const clock = manualClock();
const held = testStore({ clock });

/** Lets all leases lapse and sweeps as one that has been awake for a while. */
async function sweep(meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  await held.store.claims.sweep({ actor: 'sweeper' });
  for (let n = 0; n < 3; n++) {
    clock.advance(50_000);
    await held.store.claims.sweep({ actor: 'sweeper' });
  }
  await held.lapse();
  await meanwhile();
  return held.store.claims.sweep({ actor: 'sweeper' });
}

it('gives claimed work back and orphans begun work when leases lapse, under a new fence', async () => {
  const { runId, tasks } = await held.flow.open([draft('begun'), draft('waiting')]);
  const claim = await held.flow.claim(runId, 2);
  await held.flow.launch(claim);
  await held.flow.ready(claim, 0);
  expect(await sweep()).toMatchObject({ expired: [tasks[1]?.id], orphaned: [tasks[0]?.id] });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'lease_silent' });
  const late = await held.store.claims.record(
    { fact: 'tool_started', holding: holding(claim) },
    { actor: 'worker:w1' },
  );
  expect(late).toMatchObject({ code: 'LEASE_LOST' });
  expect((await held.store.claims.renewLeases({ workerId: 'w1', leaseMs: 60_000 })).lost).toHaveLength(2);
  const [session] = await held.store.tasks.sessions({ runId });
  expect(session).toMatchObject({ status: 'dead', executionState: 'failed' });

  const options = { workerId: 'w2', leaseMs: 60_000, runId };
  expect(await held.store.claims.takeOrphans({ ...options, host: 'elsewhere' })).toEqual([]);
  const [orphan] = await held.store.claims.takeOrphans({ ...options, host: 'here' });
  expect(orphan).toMatchObject({
    task: { key: 'begun', status: 'ORPHANED' },
    session: { id: claim.sessionId },
    attempt: { workerId: 'w2', fence: 3 },
  });
  expect(await held.store.claims.takeOrphans({ ...options, workerId: 'w3', host: 'here' })).toEqual([]);
  const [again] = await held.store.claims.takeOrphans({ ...options, host: 'here' });
  expect(again?.attempt).toMatchObject({ workerId: 'w2', fence: 4 }); // what its taker could not settle is not lost
  const mine = { attemptId: again?.attempt.id ?? '', fence: again?.attempt.fence ?? 0 };
  await held.flow.tell({
    fact: 'orphan_settled',
    holding: mine,
    to: 'DONE',
    reason: 'it had finished',
    startCommit: base,
    headCommit: head,
  });
  expect(await held.flow.landAll(runId)).toEqual(['begun']);
});

it('does not count a lost lease as a try', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await sweep();
  const [orphan] = await held.store.claims.takeOrphans({
    workerId: 'w2',
    host: 'here',
    leaseMs: 60_000,
    runId,
  });
  const mine = { attemptId: orphan?.attempt.id ?? '', fence: orphan?.attempt.fence ?? 0 };
  await held.flow.tell({
    fact: 'orphan_settled',
    holding: mine,
    to: 'OPEN',
    reason: 'nothing to keep',
    salvageRef: 'refs/baton/salvage/a/2',
  });
  expect(await held.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({ status: 'OPEN', tries: 0 });
  expect((await held.flow.claim(runId)).tasks[0]?.salvageRef).toBe('refs/baton/salvage/a/2');
});

it('renews a lapsed lease without a new holder, and the sweeper then leaves it alone', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  await held.flow.claim(runId);
  await held.lapse();
  await held.store.claims.renewLeases({ workerId: 'w1', leaseMs: 60_000 });
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect((await held.store.tasks.get(tasks[0]?.id ?? ''))?.status).toBe('CLAIMED');
});

it('waits one lease before it expires anything when it has just started or was asleep', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const fresh = await openStore({ url: held.url, clock });
  await held.flow.claim(runId);
  await held.lapse();
  expect(await fresh.claims.sweep({ actor: 'sweeper' })).toMatchObject({ expired: [] });
  for (let n = 0; n < 2; n++) {
    clock.advance(50_000);
    expect(await fresh.claims.sweep({ actor: 'sweeper' })).toMatchObject({ expired: [] });
  }
  clock.advance(100_000);
  expect(await fresh.claims.sweep({ actor: 'sweeper' })).toMatchObject({ expired: [] });
  clock.advance(50_000);
  await fresh.claims.sweep({ actor: 'sweeper' });
  clock.advance(50_000);
  await fresh.claims.sweep({ actor: 'sweeper' });
  clock.advance(50_000);
  expect((await fresh.claims.sweep({ actor: 'sweeper' })).expired).toContain(tasks[0]?.id);
  await fresh.close();
});

it('wakes what is due, at the sweep and at a claim that finds nothing else', async () => {
  const { runId } = await held.flow.open([draft('later', { notBefore: '2100-01-01T00:00:00Z' })]);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  await held.makeDue();
  expect((await held.store.claims.sweep({ actor: 'sweeper' })).woken).toBe(1);
  const claim = await held.flow.claim(runId);
  await held.flow.tell({
    fact: 'released',
    holding: holding(claim),
    reason: 'parked',
    notBefore: new Date(Date.UTC(2100, 0, 1)),
  });
  await held.makeDue();
  expect((await held.flow.claim(runId)).tasks[0]?.task.key).toBe('later');
});

it('comes back by itself from a block on a time and from a block on a task', async () => {
  const { runId } = await held.flow.open([
    draft('clock', { scope: 'large' }),
    draft('task', { scope: 'large' }),
    draft('other', { scope: 'large' }),
  ]);
  const [first, second] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  await held.flow.tell({
    fact: 'blocked',
    holding: holding(first),
    on: { until: '2100-01-01T00:00:00Z' },
    reason: 'embargo',
  });
  await held.flow.tell({
    fact: 'blocked',
    holding: holding(second),
    on: { task: 'other' },
    reason: 'needs other',
  });
  const status = async (key: string) => (await held.store.tasks.find(key, { runId })).status;
  expect([await status('clock'), await status('task')]).toEqual(['BLOCKED', 'BLOCKED']);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  expect([await status('clock'), await status('task')]).toEqual(['BLOCKED', 'OPEN']);
  await held.makeDue();
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await status('clock')).toBe('OPEN');
});

it('ends a session whose worker fell silent after its last task was done', async () => {
  const { runId } = await held.flow.open([draft('a')], { maxAgents: 1 });
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.done(claim);
  await held.sql(
    `UPDATE agent_session SET last_sign_at = now() - interval '1 hour', created_at = now() - interval '1 hour' WHERE id = $1`,
    [claim.sessionId],
  );
  await sweep();
  const [session] = await held.store.tasks.sessions({ runId });
  expect(session?.endedAt).not.toBeNull();
  expect(await held.flow.landAll(runId)).toEqual(['a']);
});

it.each([
  ['whose worker has ended', 'offline', '1 second'],
  ['that nobody ended, silent for five leases', 'online', '11 minutes'],
])('ends a session %s after its last task was done', async (_, status, ago) => {
  const { runId } = await held.flow.open([draft('a')], { maxAgents: 1 });
  await held.store.workers.register({
    ...{ id: 'w1', name: 'w1', host: 'here', pid: 1, pidStarted: '1', bootId: 'b', capacity: 1 },
    ...{ labels: [], version: '0', runId: null },
  });
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.done(claim);
  const live = async () => (await held.store.tasks.sessions({ runId, live: true })).length;
  await sweep();
  expect(await live()).toBe(1);
  await held.sql(
    `UPDATE agent_session SET last_sign_at = now() - $1::interval, created_at = now() - $1::interval`,
    [ago],
  );
  if (status === 'offline')
    await held.store.workers.setStatus('w1', 'offline', { ...by, actor: 'worker:w1' });
  await sweep();
  expect(await live()).toBe(0);
});

it('cancels by asking the holder, and what has no holder at once; dependents and children follow', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('held', { scope: 'large' }),
    draft('after', { dependsOn: ['held'] }),
    draft('apart', { priority: 5 }),
  ]);
  const [first, after, apart] = tasks.map((task) => task.id);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  expect(await held.store.tasks.cancel(first ?? '', by)).toMatchObject({
    status: 'IN_PROGRESS',
    cancelRequested: true,
  });
  expect((await held.store.claims.renewLeases({ workerId: 'w1', leaseMs: 60_000 })).cancelRequested).toEqual([
    claim.tasks[0]?.attempt.id,
  ]);
  await held.flow.tell({
    fact: 'cancelled',
    holding: holding(claim),
    reason: 'asked to',
    salvageRef: 'refs/baton/salvage/x/1',
  });
  expect((await held.store.tasks.get(first ?? ''))?.status).toBe('CANCELLED');
  expect((await held.store.tasks.get(after ?? ''))?.status).toBe('CANCELLED');
  expect((await held.store.tasks.get(apart ?? ''))?.status).toBe('OPEN');
  expect((await held.store.runs.cancel(runId, by)).status).toBe('cancelled');
  expect((await held.store.tasks.get(apart ?? ''))?.status).toBe('CANCELLED');
});

it('fails done, orphaned and waiting-for-approval work for good when it is cancelled, but finishes a landing under way', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('done', { scope: 'large' }),
    draft('landing', { scope: 'large' }),
  ]);
  await held.flow.finish(runId);
  expect(await held.store.tasks.cancel(tasks[0]?.id ?? '', by)).toMatchObject({
    status: 'FAILED',
    settled: true,
  });
  await held.flow.finish(runId);
  const work = await held.flow.take(runId);
  const mine = { attemptId: work.attempt.id, fence: work.attempt.fence };
  const lane = await held.store.lanes.acquire({
    repoId: work.repo.id,
    target: work.run.target,
    workerId: 'w1',
    leaseMs: 60_000,
  });
  const verdict = {
    tree: 't',
    passed: true,
    checks: 'gates' as const,
    results: [],
    reasons: [],
    durationMs: 1,
  };
  const verdictId = await held.store.lanes.saveVerdict({ holding: mine, checksHash: 'h', verdict });
  const holder = { workerId: 'w1', host: 'here', pid: 1, pidStarted: '1', lockFiles: [] };
  if (lane === null) throw new Error('no lane');
  const members = [{ holding: mine, verdictId, candidateCommit: head }];
  const intents = await held.store.lanes.writeIntents({ lane, members, fromCommit: base, tree: 't', holder });
  const [intent = null] = intents ?? [];
  expect(await held.store.tasks.cancel(tasks[1]?.id ?? '', by)).toMatchObject({
    status: 'DONE',
    cancelRequested: true,
  });
  await held.store.lanes.confirm(intent ?? '', { actor: 'worker:w1' });
  expect(await held.store.tasks.get(tasks[1]?.id ?? '')).toMatchObject({
    status: 'CLOSED',
    cancelRequested: false,
  });
});

it("takes a worker's sign of life for its own leases alone", async () => {
  const { runId, tasks } = await held.flow.open([draft('mine')]);
  await held.flow.claim(runId);
  const renew = (workerId: string) => () => held.store.claims.renewLeases({ workerId, leaseMs: 60_000 });
  expect(await sweep(renew('w1'))).toMatchObject({ expired: [] });
  expect(await sweep(renew('w2'))).toMatchObject({ expired: [tasks[0]?.id] });
});

it('leaves no lease on a try that ended', async () => {
  const { runId, tasks } = await held.flow.open([draft('given-back')]);
  const claim = await held.flow.claim(runId);
  const [before] = await held.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(before).toMatchObject({ workerId: 'w1', leaseExpiresAt: expect.any(Date) });
  await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'not now' });
  const [after] = await held.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(after).toMatchObject({ workerId: null, leaseExpiresAt: null, endedAt: expect.any(Date) });
});
