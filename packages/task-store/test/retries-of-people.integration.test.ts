import { expect, it } from 'vitest';
import { by, draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { ownStore, testStore } from './support/store.ts';

const held = testStore();

const notThere = '00000000-0000-7000-8000-000000000000';

it('tries nothing again in a cancelled run, and says so; cancelling it once more ends what is left', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('a', { maxRetries: 0 }),
    draft('b', { dependsOn: ['a'] }),
  ]);
  const [a = '', b = ''] = tasks.map(({ id }) => id);
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  const again = { ...by, commandId: `retry:${runId}` };
  await held.store.tasks.retry(a, again);
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  await held.store.runs.cancel(runId, { actor: 'operator:maxi', reason: 'not needed' });
  await expect(held.store.tasks.retry(a, by)).rejects.toMatchObject({
    code: 'CONFLICT',
    fix: 'Start a new run with `baton run`.',
  });
  expect(await held.store.tasks.retry(a, again)).toMatchObject({ status: 'FAILED' });
  expect(await held.store.tasks.explain(a)).toMatchObject({
    cause: 'retries_exhausted',
    text: 'a failed for good after 2 counted tries (last: tests are red). Its run was cancelled.',
    unblock: 'start a new run',
  });
  // As an older version left what was retried.
  await held.sql('SET session_replication_role = replica');
  await held.sql(`UPDATE task SET status = 'OPEN', settled = false, cancel_requested = false WHERE id = $1`, [
    b,
  ]);
  await held.sql('RESET session_replication_role');
  expect(await held.store.runs.cancel(runId, by)).toMatchObject({
    status: 'cancelled',
    statusReason: 'not needed',
  });
  expect(await held.store.tasks.get(b)).toMatchObject({ status: 'CANCELLED', settled: true });
});

it('leaves nothing to do in a run that is cancelled at the moment of a retry', async () => {
  for (let round = 0; round < 25; round++) {
    const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
    const id = tasks[0]?.id ?? '';
    await held.flow.finish(runId);
    await held.flow.reject(runId, 'rejected');
    const cancelAfterReads = async () => {
      for (let read = 0; read < round % 8; read++) await held.store.tasks.get(id);
      return held.store.runs.cancel(runId, by);
    };
    const [, cancelled] = await Promise.allSettled([held.store.tasks.retry(id, by), cancelAfterReads()]);
    expect(cancelled).toMatchObject({ status: 'fulfilled', value: { status: 'cancelled' } });
    expect(await held.store.tasks.get(id)).toMatchObject({ settled: true });
  }
});

it('says how many tries a person granted', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  await held.flow.finish(runId);
  expect(await held.flow.reject(runId, 'rejected')).toMatchObject({
    tries: 1,
    maxRetries: 0,
    grantedTries: 0,
  });
  expect(await held.store.tasks.retry(tasks[0]?.id ?? '', by)).toMatchObject({ tries: 1, grantedTries: 1 });
});

it('says of what failed for good or is blocked that its run is paused as well', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 }), draft('b'), draft('c')]);
  const [a = '', b = '', c = ''] = tasks.map(({ id }) => id);
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  const claim = await held.flow.working(runId);
  const on = { text: 'a key is missing' };
  await held.flow.tell({ fact: 'blocked', holding: holding(claim), on, reason: 'no key' });
  await held.flow.over(claim);
  const asked = async () => {
    const told = await Promise.all([a, b, c].map((id) => held.store.tasks.explain(id)));
    return told.map(({ cause, also }) => [cause, ...also.filter((each) => each !== 'feed_behind')]);
  };
  expect(await asked()).toEqual([['retries_exhausted'], ['blocked'], ['no_capable_worker']]);
  await held.store.runs.pause(runId, by);
  expect(await asked()).toEqual([
    ['retries_exhausted', 'run_paused'],
    ['blocked', 'run_paused'],
    ['run_paused', 'no_capable_worker'],
  ]);
});

it('names a person for a state folder that is full, also where no process is left, and a new start does not wait', async () => {
  await using own = await ownStore();
  const { runId, tasks } = await own.flow.open([draft('a')]);
  const id = tasks[0]?.id ?? '';
  const [w1, w2] = [
    { id: 'w1', runId },
    { id: 'w2', runId: null },
  ].map((given) => ({
    ...{ name: given.id, host: 'here', pid: 7, pidStarted: '1', bootId: 'b', capacity: 1, version: '0' },
    ...{ labels: [], ...given },
  }));
  if (w1 === undefined || w2 === undefined) throw new Error('no workers');
  await own.store.workers.register(w1);
  const claim = await own.flow.claim(runId);
  const reason = 'STATE_FULL: /s takes 2.0 MB, and retention.disk in baton.yaml allows 1.0 MB.';
  const notBefore = new Date(Date.UTC(2100, 0, 1));
  await own.flow.tell({
    ...{ fact: 'released', holding: holding(claim), reason, because: 'state_full', notBefore },
  });
  await own.flow.over(claim);
  const way = 'raise retention.disk in baton.yaml, or shorten the other retentions, then start it again:';
  const run = await own.store.runs.get(runId);
  const told = {
    cause: 'state_full',
    text: `The state folder has no room for the work on a (${reason.slice(0, -1)}).`,
    owner: 'a person',
    until: notBefore,
    unblock: `${way} baton run --resume ${run?.slug}`,
  };
  expect(await own.store.tasks.explain(id)).toMatchObject(told);
  await own.store.workers.setStatus('w1', 'offline', by);
  const alone = await own.store.tasks.explain(id);
  expect(alone).toMatchObject(told);
  expect(alone.also).toContain('not_carried');
  await own.store.workers.register(w2);
  expect(await own.store.tasks.explain(id)).toMatchObject({ ...told, unblock: `${way} baton up` });
  await own.store.runs.resume(runId, by);
  expect(await own.store.tasks.get(id)).toMatchObject({ notBefore: null, claimable: true, tries: 0 });
});

it('hands out what waits for room once a worker of its host has room, and nothing else', async () => {
  await using own = await ownStore();
  const { runId, tasks } = await own.flow.open([draft('full'), draft('parked')]);
  const notBefore = new Date(Date.UTC(2100, 0, 1));
  for (const because of ['state_full', 'parked'] as const) {
    const claim = await own.flow.claim(runId);
    await own.flow.tell({ fact: 'released', holding: holding(claim), reason: 'wait', because, notBefore });
    await own.flow.over(claim);
  }
  expect(await own.store.claims.roomFound({ host: 'here', runId: notThere })).toBe(0);
  expect(await own.store.claims.roomFound({ host: 'here' })).toBe(1);
  expect(await own.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({ notBefore: null, claimable: true });
  expect(await own.store.tasks.get(tasks[1]?.id ?? '')).toMatchObject({ notBefore, claimable: false });
  expect(await own.store.claims.roomFound({ host: 'here' })).toBe(0);
});
