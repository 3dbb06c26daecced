import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import type { Lane, LandingWork } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { claimTogether } from './support/together.ts';

const held = testStore();
const unread = { pauseMs: 15_000, isUnreadable: true };
const ref = 'refs/baton/attempts/t/1';
const registration = {
  pid: 7,
  pidStarted: '9',
  bootId: 'b',
  capacity: 1,
  labels: [],
  version: '1',
  runId: null,
};
const mine = (work: LandingWork) => ({ attemptId: work.attempt.id, fence: work.attempt.fence });

/** A run whose tasks are finished, each head in a clone on the host of that name (null: not written down). */
async function finished(target: string, hosts: (string | null)[]): Promise<string> {
  const repo = { location: `https://example.org/${target}.git`, host: null };
  const tasks = hosts.map((_, at) => draft(`t${at}`));
  const { runId } = await held.flow.open(tasks, { target, repo });
  for (const host of hosts) {
    const claim = await held.flow.claim(runId);
    await held.flow.launch(claim);
    await held.flow.ready(claim);
    if (host !== null)
      await held.store.lanes.placeHead(holding(claim), { at: 'clone', host, path: `/state/${host}`, ref });
    await held.flow.done(claim);
    await held.flow.over(claim);
  }
  return runId;
}

async function lane(runId: string, workerId: string): Promise<Lane> {
  const run = await held.store.runs.get(runId);
  if (run === null) throw new Error('no run');
  const { repoId, target } = run;
  const got = await held.store.lanes.acquire({ repoId, target, workerId, leaseMs: 60_000 });
  if (got === null) throw new Error('the lane is held');
  return got;
}

const register = (name: string, host: string) =>
  held.store.workers.register({ ...registration, id: name, name, host });

it('hands a lane only heads that its holder can read, and does not wait for the others', async () => {
  const runId = await finished('heads-a', ['far', 'near', null]);
  expect(await held.store.lanes.open({ host: 'near', workerId: 'w1', runId })).toHaveLength(1);
  const holder = await lane(runId, 'w1');
  const first = await held.store.lanes.takeForLanding(holder, { runId, host: 'near' });
  expect(first?.task.key).toBe('t1');
  expect(first?.attempt.headPlace).toEqual({ at: 'clone', host: 'near', path: '/state/near', ref });
  await held.store.claims.record(
    { fact: 'rejected', holding: mine(first!), kind: 'rejected', reasons: ['no'] },
    by,
  );
  const second = await held.store.lanes.takeForLanding(holder, { runId, host: 'near' });
  expect(second?.task.key).toBe('t2');
  await held.store.lanes.headMissed(mine(second!), { workerId: 'w1', text: 'no such commit', ...unread });
  expect(await held.store.lanes.takeForLanding(holder, { runId, host: 'near' })).toBeNull();
  expect(await held.store.lanes.open({ host: 'near', workerId: 'w1', runId })).toEqual([]);
  await held.store.lanes.release(holder);
  // Another one may read at once what the first one could not.
  const other = await lane(runId, 'w2');
  expect((await held.store.lanes.takeForLanding(other, { runId, host: 'near' }))?.task.key).toBe('t2');
  await held.store.lanes.release(other);
  expect(
    (await held.store.lanes.takeForLanding(await lane(runId, 'w3'), { runId, host: 'far' }))?.task.key,
  ).toBe('t0');
});

it('writes the place of a head down for the holder alone', async () => {
  const { runId } = await held.flow.open([draft('a')], { target: 'heads-b' });
  const claim = await held.flow.claim(runId);
  const { attemptId, fence } = holding(claim);
  const place = { at: 'repository', ref } as const;
  expect(await held.store.lanes.placeHead({ attemptId, fence: fence + 1 }, place)).toBe(false);
  expect(await held.store.lanes.placeHead({ attemptId, fence }, place)).toBe(true);
});

it('lets a head be tried again when no worker could read it for the bound, and not before', async () => {
  const runId = await finished('heads-c', ['gone', 'lives']);
  await register('heads-c-living', 'lives');
  const options = { workerId: 'w9', host: 'third', leaseMs: 60_000, runId };
  expect(await held.store.lanes.takeLostHeads({ ...options, waitMs: 60_000 })).toEqual([]);
  await held.sql(`UPDATE attempt SET done_at = done_at - interval '2 minutes' WHERE run_id = '${runId}'`);
  const [lost, ...more] = await held.store.lanes.takeLostHeads({ ...options, waitMs: 60_000 });
  expect(lost?.task.key).toBe('t0');
  expect(more).toEqual([]);
  const reasons = ['its head could not be read'];
  const outcome = await held.store.claims.record(
    {
      fact: 'rejected',
      holding: { attemptId: lost!.attempt.id, fence: lost!.attempt.fence },
      kind: 'head_lost',
      reasons,
    },
    by,
  );
  expect(outcome).toMatchObject({ ok: true, taskStatus: 'OPEN' });
  const again = await held.flow.claim(runId);
  expect(again.tasks[0]).toMatchObject({ continueFrom: null, rejections: reasons });
});

it('leaves a head that was missed to a living worker that may still read it, ten times as long', async () => {
  const runId = await finished('heads-d', ['pair']);
  const w1 = await lane(runId, 'heads-d-1');
  const work = await held.store.lanes.takeForLanding(w1, { runId, host: 'pair' });
  await held.store.lanes.headMissed(mine(work!), { workerId: 'heads-d-1', text: 'denied', ...unread });
  await register('heads-d-2', 'pair');
  const options = { workerId: 'w9', host: 'third', leaseMs: 60_000, runId, waitMs: 60_000 };
  const since = (minutes: number) =>
    held.sql(
      `UPDATE attempt SET head_missing_since = clock_timestamp() - interval '${minutes} minutes' WHERE run_id = '${runId}'`,
    );
  await since(2);
  expect(await held.store.lanes.takeLostHeads(options)).toEqual([]);
  await since(11);
  const [lost] = await held.store.lanes.takeLostHeads(options);
  expect(lost?.text).toBe('denied');
});

it('explains a head that no worker can read: which, where, and who must move', async () => {
  const runId = await finished('heads-e', ['far-away']);
  const { items } = await held.store.tasks.list({ runId });
  const task = items[0]!;
  const told = await held.store.tasks.explain(task.id);
  expect(told.cause).toBe('head_unreadable');
  expect(told.text).toContain('host far-away');
  expect(told.owner).toBe('a worker on host far-away');
  await register('heads-e', 'far-away');
  expect((await held.store.tasks.explain(task.id)).cause).toBe('lane');
});

it.each([
  ['git push --atomic ended with 1: remote: error: refusing to update checked out branch', 'a person'],
  ['git push --atomic ended with 1: ! [remote rejected] main (pre-receive hook declined)', 'a person'],
  [
    'git push --atomic ended with 128: fatal: unable to access: Could not resolve host',
    'the next worker, within seconds',
  ],
])('explains who must move when the last landing failed: %s', async (failure, owner) => {
  const target = `heads-f-${failure.length}`;
  const runId = await finished(target, ['near']);
  const worker = `w-${target}`;
  await register(worker, 'near');
  const got = await lane(runId, worker);
  const work = (await held.store.lanes.takeForLanding(got, { host: 'near', runId }))!;
  const text = `GIT_FAILED: ${failure}`;
  const missed = { workerId: worker, text, pauseMs: 5_000, isUnreadable: false };
  await held.store.lanes.headMissed(mine(work), missed);
  await held.store.lanes.release(got);
  const told = await held.store.tasks.explain(work.task.id);
  expect(told).toMatchObject({ cause: 'landing_failed', owner });
  expect(told.text).toContain(failure);
  expect(told.unblock?.startsWith('let the remote take the push') ?? false).toBe(owner === 'a person');
});

it('explains that a person must move while gates are red on the target as well', async () => {
  const runId = await finished('heads-red', ['near']);
  await register('w-red', 'near');
  const got = await lane(runId, 'w-red');
  const work = (await held.store.lanes.takeForLanding(got, { host: 'near', runId }))!;
  const text = 'BASE_RED: A required gate is red on 1234.\nLast lines of it:';
  await held.store.lanes.headMissed(mine(work), {
    workerId: 'w-red',
    text,
    pauseMs: 5_000,
    isUnreadable: false,
  });
  const told = () => held.store.tasks.explain(work.task.id);
  expect(await told()).toMatchObject({
    ...{ cause: 'landing_failed', owner: 'a person' },
    text: expect.stringContaining('is finished and cannot be judged. A required gate is red on 1234.'),
  });
  await held.store.runs.pause(runId, { actor: 'worker:w-red', reason: text });
  expect((await told()).unblock).toMatch(/^baton (run --)?resume /);
  expect(await held.store.lanes.takeForLanding(got, { host: 'near', runId })).toBeNull();
  // Somebody has acted: the worker that could not land it looks at it now.
  await held.store.runs.resume(runId, by);
  expect(await held.store.lanes.takeForLanding(got, { host: 'near', runId })).toMatchObject({ missed: true });
});

it('gives a draining worker nothing, alone or among others, also when the claim was under way', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b'), draft('c')], { target: 'drain-a' });
  const id = 'drain-a';
  await register('drain-a', 'here');
  await held.store.workers.setStatus(id, 'draining', by);
  expect(await held.store.claims.claimBatch(request({ runId, workerId: id, maxTasks: 3 }))).toBeNull();
  expect(await held.store.claims.claimBatch(request({ runId, workerId: id, maxTasks: 1 }))).toBeNull();
  expect(await claimTogether(held.store, request({ runId, workerId: id }), 3)).toEqual([]);
  // A claim that is under way holds the drain up, so that nothing is taken after the drain has come back.
  await register('drain-b', 'here');
  await held.sql('BEGIN');
  await held.sql(`SELECT baton_may_claim(ARRAY['drain-b'])`);
  let drained = false;
  const drain = held.store.workers.setStatus('drain-b', 'draining', by).then(() => (drained = true));
  await until(
    async () =>
      (await held.sql(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).length > 0,
    { what: 'the drain waits', timeoutMs: 10_000 },
  );
  expect(drained).toBe(false);
  await held.sql('COMMIT');
  await drain;
  const [mineOnly, theirs] = await Promise.all([
    held.store.claims.claimBatch(request({ runId, workerId: id, maxTasks: 1 })),
    held.store.claims.claimBatch(request({ runId, workerId: 'w1', maxTasks: 1 })),
  ]);
  expect(mineOnly).toBeNull();
  expect(theirs?.tasks).toHaveLength(1);
  await held.store.workers.setStatus(id, 'offline', by);
  await held.store.workers.setStatus(id, 'draining', by);
  expect((await held.store.workers.list()).find((worker) => worker.id === id)?.status).toBe('offline');
});
