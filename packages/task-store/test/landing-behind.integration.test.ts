import { expect, it } from 'vitest';
import { draft, request } from './support/builders.ts';
import { head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { claimTogether } from './support/together.ts';

const held = testStore();
const hostOf = { host: 'here', pid: 7, pidStarted: '9', bootId: 'b', labels: [], version: '1' };

/** A worker of that capacity with a run of its own target, where so many of so many tasks are finished. */
async function backlog(
  workerId: string,
  given: { tasks: number; finished: number; capacity?: number; target?: string },
): Promise<string> {
  const { capacity = 2, target = workerId } = given;
  await held.store.workers.register({ id: workerId, name: workerId, ...hostOf, capacity, runId: null });
  const tasks = Array.from({ length: given.tasks }, (_, at) => draft(`t${at}`));
  const { runId } = await held.flow.open(tasks, { target });
  for (let at = 0; at < given.finished; at += 1) await held.flow.finish(runId);
  return runId;
}

async function lane(runId: string, workerId: string) {
  const run = await held.store.runs.get(runId);
  const place = { repoId: run?.repoId ?? '', target: run?.target ?? '' };
  const taken = await held.store.lanes.acquire({ ...place, workerId, leaseMs: 60_000 });
  if (taken === null) throw new Error('the lane is held');
  return taken;
}

/** Which of these runs the worker takes nothing more of. */
const named = async (workerId: string, ...runIds: string[]) => {
  const behind = await held.store.lanes.landingBehind(workerId);
  return runIds.filter((id) => behind.includes(id));
};

const explained = async (runId: string, key: string) =>
  held.store.tasks.explain((await held.store.tasks.find(key, { runId })).id);

it('names a run to a worker when eight of its finished tasks wait to land, and no more when one of them has', async () => {
  const runId = await backlog('eight', { tasks: 9, finished: 7 });
  expect(await named('eight', runId)).toEqual([]);
  await held.flow.finish(runId);
  expect(await named('eight', runId)).toEqual([runId]);
  await held.flow.land(await held.flow.take(runId));
  expect(await named('eight', runId)).toEqual([]);
});

it('lets twice as much wait as a worker has capacity', async () => {
  const runId = await backlog('wide', { tasks: 11, finished: 9, capacity: 5 });
  expect(await named('wide', runId)).toEqual([]);
  await held.flow.finish(runId);
  expect(await named('wide', runId)).toEqual([runId]);
});

it('counts the agents that are at work: each may finish before anything lands', async () => {
  const runId = await backlog('busy', { tasks: 9, finished: 1 });
  const claims = await claimTogether(held.store, request({ runId, workerId: 'busy' }), 6);
  expect(await named('busy', runId)).toEqual([]);
  const last = await held.store.claims.claimBatch(request({ runId, workerId: 'busy' }));
  expect([claims.length, last?.tasks.length]).toEqual([6, 1]);
  expect(await named('busy', runId)).toEqual([runId]);
});

it('never names a run of which nothing waits, however many agents are at work', async () => {
  const runId = await backlog('none', { tasks: 9, finished: 0 });
  await claimTogether(held.store, request({ runId, workerId: 'none' }), 9);
  expect(await named('none', runId)).toEqual([]);
});

it('does not count what waits for a person: a lane that cannot land, and approvals', async () => {
  const runId = await backlog('people', { tasks: 10, finished: 8 });
  const taken = await lane(runId, 'people');
  expect(await named('people', runId)).toEqual([runId]);
  await held.store.lanes.noteWait(taken, { cause: 'landing_failed', text: 'tried again' });
  expect(await named('people', runId)).toEqual([runId]);
  await held.store.lanes.noteWait(taken, { cause: 'target_in_use', text: 'a rebase' });
  expect(await named('people', runId)).toEqual([]);
  await held.store.lanes.release(taken);
  expect(await named('people', runId)).toEqual([]);
  const again = await lane(runId, 'people');
  expect(await named('people', runId)).toEqual([runId]);
  const work = await held.store.lanes.takeForLanding(again, { runId });
  const mine = { attemptId: work?.attempt.id ?? '', fence: work?.attempt.fence ?? 0 };
  const asked = { reason: 'r', headCommit: head, patchId: 'p' };
  await held.flow.tell({ fact: 'approval_wanted', holding: mine, ...asked });
  expect(await named('people', runId)).toEqual([]);
});

it('does not count what a worker cannot land itself: heads on another host, and other runs of a worker of one run', async () => {
  const tasks = Array.from({ length: 10 }, (_, at) => draft(`t${at}`));
  const repo = { location: 'https://example.org/r.git', host: null };
  const { runId } = await held.flow.open(tasks, { target: 'far', repo });
  for (let at = 0; at < 8; at += 1) {
    const claim = await held.flow.claim(runId);
    await held.flow.launch(claim);
    await held.flow.ready(claim);
    const place = { at: 'clone', host: 'there', path: '/state', ref: 'refs/baton/attempts/t/1' } as const;
    await held.store.lanes.placeHead(holding(claim), place);
    await held.flow.done(claim);
    await held.flow.over(claim);
  }
  const node = { name: 'n', ...hostOf, capacity: 2 };
  await held.store.workers.register({ id: 'near', ...node, runId: null });
  await held.store.workers.register({ id: 'away', ...node, host: 'there', runId: null });
  expect(await named('near', runId)).toEqual([]);
  expect(await named('away', runId)).toEqual([runId]);
  const own = await held.flow.open([draft('own')], { target: 'far', repo });
  await held.store.workers.register({ id: 'bound', ...node, host: 'there', runId: own.runId });
  expect(await named('bound', runId, own.runId)).toEqual([]);
  expect(await named('away', runId, own.runId)).toEqual([runId, own.runId]);
});

it('leaves runs with another target alone, and claims pass over those that are named', async () => {
  const full = await backlog('two', { tasks: 9, finished: 8 });
  const free = await backlog('two', { tasks: 1, finished: 0, target: 'two-free' });
  const skipRuns = await held.store.lanes.landingBehind('two');
  expect(skipRuns.filter((id) => [full, free].includes(id))).toEqual([full]);
  const mine = request({ workerId: 'two', skipRuns });
  expect(await held.store.claims.claimBatch({ ...mine, runId: full })).toBeNull();
  expect((await held.store.claims.claimBatch({ ...mine, runId: free }))?.run.id).toBe(free);
});

it('explains a ready task that all workers hold back from, and names who lands', async () => {
  const runId = await backlog('told', { tasks: 9, finished: 8 });
  await held.sql(`UPDATE worker SET status = 'offline' WHERE id <> 'told'`);
  expect(await explained(runId, 't8')).toMatchObject({
    cause: 'landing_behind',
    owner: 'the next worker that lands',
    unblock: null,
    also: [],
  });
  const taken = await lane(runId, 'told');
  expect(await explained(runId, 't8')).toMatchObject({ owner: 'worker told' });
  await held.store.lanes.noteWait(taken, { cause: 'checkout_dirty', text: 'changes' });
  expect(await explained(runId, 't8')).toMatchObject({ cause: 'ready' });
  await held.store.lanes.noteWait(taken, { cause: null, text: null });
  await held.store.workers.register({ id: 'told-2', name: 'n', ...hostOf, capacity: 9, runId: null });
  expect(await explained(runId, 't8')).toMatchObject({ cause: 'ready' });
});
