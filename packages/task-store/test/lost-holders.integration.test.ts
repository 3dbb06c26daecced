import { manualClock } from '@baton/testkit';
import { expect, it } from 'vitest';
import { by, draft, request } from './support/builders.ts';
import { testStore } from './support/store.ts';
import { sweeping } from './support/sweeping.ts';

const clock = manualClock();
const held = testStore({ clock });
const { sweepLapsed } = sweeping(held, clock);

/** A run whose tasks were all begun and then lost by a worker. */
async function orphans(keys: string[], host: string | null): Promise<string> {
  const { runId } = await held.flow.open(
    keys.map((key) => draft(key, { scope: 'large' })),
    { repo: { location: host === null ? 'https://example.org/x.git' : '/orphans', host } },
  );
  for (const _ of keys) {
    const claim = await held.flow.claim(runId);
    await held.flow.launch(claim);
    await held.flow.ready(claim);
  }
  await sweepLapsed();
  return runId;
}

it('hands orphans on to the next finder when the one before died, all of a run and none of another', async () => {
  const runId = await orphans(['a', 'b'], 'here');
  const other = await orphans(['c'], 'here');
  const take = (workerId: string, host = 'here', of: string | undefined = runId) =>
    held.store.claims.takeOrphans({ workerId, host, leaseMs: 60_000, ...(of && { runId: of }) });
  const first = await take('w2');
  expect(first.map(({ task }) => task.key)).toEqual(['a', 'b']);
  expect(await take('w3')).toEqual([]);
  await held.lapse();
  await held.sql(`UPDATE attempt SET orphaned_at = now() - interval '1 day' WHERE run_id = $1`, [runId]);
  expect(await take('w3', 'elsewhere')).toEqual([]);
  const second = await take('w3');
  expect(second.map(({ attempt }) => [attempt.workerId, attempt.fence])).toEqual(
    first.map(({ attempt }) => ['w3', attempt.fence + 1]),
  );
  const late = first[0]?.attempt;
  const settled = { fact: 'orphan_settled', to: 'OPEN', reason: 'nothing to keep' } as const;
  const mine = { attemptId: late?.id ?? '', fence: late?.fence ?? 0 };
  expect(await held.store.claims.record({ ...settled, holding: mine }, { actor: 'worker:w2' })).toMatchObject(
    {
      code: 'LEASE_LOST',
    },
  );
  expect((await take('w4', 'here', other)).map(({ task }) => task.key)).toEqual(['c']);
  for (const { attempt } of second)
    await held.flow.tell({ ...settled, holding: { attemptId: attempt.id, fence: attempt.fence } });
});

it('lets another host settle orphans of a remote repository only after one lease', async () => {
  const runId = await orphans(['far'], null);
  const take = () =>
    held.store.claims.takeOrphans({ workerId: 'w9', host: 'elsewhere', leaseMs: 60_000, runId });
  expect(await take()).toEqual([]);
  await held.sql(`UPDATE attempt SET orphaned_at = orphaned_at - interval '61 seconds' WHERE run_id = $1`, [
    runId,
  ]);
  expect((await take()).map(({ attempt }) => attempt.workerId)).toEqual(['w9']);
});

it('frees at once what a worker that is gone had taken, and nothing of another', async () => {
  const worker = { name: 'w', host: 'here', pid: 7, pidStarted: '9', bootId: '9', capacity: 1, labels: [] };
  for (const id of ['gone', 'stays'])
    await held.store.workers.register({ ...worker, id, version: '0', runId: null });
  const orphaned = await orphans(['x', 'y'], 'here');
  const options = { host: 'here', leaseMs: 60_000, runId: orphaned };
  expect(await held.store.claims.takeOrphans({ ...options, workerId: 'gone' })).toHaveLength(2);
  const lanes = [];
  for (const [workerId, target] of [
    ['gone', 't1'],
    ['stays', 't2'],
  ] as const) {
    const { runId } = await held.flow.open([draft(workerId), draft(`${workerId}-works`)], { target });
    await held.flow.finish(runId);
    const busy = await held.store.claims.claimBatch(request({ runId, workerId }));
    const run = await held.store.runs.get(runId);
    const lane = await held.store.lanes.acquire({
      repoId: run?.repoId ?? '',
      target,
      workerId,
      leaseMs: 60_000,
    });
    if (lane === null) throw new Error('no lane');
    const taken = await held.store.lanes.takeForLanding(lane, { runId });
    lanes.push({ runId, lane, target, taken, busy });
  }
  await held.store.workers.setStatus('gone', 'offline', by);
  expect(await held.store.claims.takeOrphans({ ...options, workerId: 'stays' })).toHaveLength(2);
  const [gone, stays] = lanes;
  const acquire = (of: typeof gone) =>
    held.store.lanes.acquire({
      repoId: of?.lane.repoId ?? '',
      target: of?.target ?? '',
      workerId: 'next',
      leaseMs: 60_000,
    });
  const next = await acquire(gone);
  expect([next?.epoch, await acquire(stays)]).toEqual([(gone?.lane.epoch ?? 0) + 1, null]);
  if (next === null) throw new Error('not free');
  expect(await held.store.lanes.takeForLanding(next, { runId: gone?.runId ?? '' })).toMatchObject({
    task: { key: 'gone' },
  });
  const [attempt] = await held.store.tasks.listAttempts({ sessionId: gone?.busy?.sessionId ?? '' });
  expect(attempt).toMatchObject({ workerId: 'gone', leaseExpiresAt: expect.any(Date) });
});

it('gives a worker what it lost itself, not of what others lost or what it found again', async () => {
  const mine = await orphans(['mine', 'again'], 'here');
  const { runId } = await held.flow.open([draft('theirs')]);
  const theirs = await held.store.claims.claimBatch(request({ runId, workerId: 'w7' }));
  const lost = async (workerId: string) =>
    (await held.store.claims.renewLeases({ workerId, leaseMs: 60_000 })).lost;
  const ids = async (of: string) => (await held.store.tasks.listAttempts({ runId: of })).map(({ id }) => id);
  expect(await lost('w1')).toEqual(expect.arrayContaining(await ids(mine)));
  expect(await lost('w7')).toEqual([]);
  await held.store.claims.takeOrphans({ workerId: 'w1', host: 'here', leaseMs: 60_000, runId: mine });
  expect((await lost('w1')).filter((id) => id === theirs?.tasks[0]?.attempt.id)).toEqual([]);
  const found = await ids(mine);
  expect((await lost('w1')).filter((id) => found.includes(id))).toEqual([]);
});
