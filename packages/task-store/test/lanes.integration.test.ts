import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import type { Lane, LandingWork, OpenIntent } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { base, head, passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const holder: OpenIntent['holder'] = {
  workerId: 'w1',
  host: 'here',
  pid: 7,
  pidStarted: '9',
  lockFiles: ['x.lock'],
};
const mine = (work: LandingWork) => ({ attemptId: work.attempt.id, fence: work.attempt.fence });

/** A run with one finished task and the lane that shall land it. */
async function landable(
  target: string,
  given: { approval?: boolean } = {},
): Promise<{ runId: string; taskId: string; lane: Lane }> {
  const { runId, tasks } = await held.flow.open([draft('a', given)], { target });
  await held.flow.finish(runId);
  return { runId, taskId: tasks[0]?.id ?? '', lane: await acquire(runId, 'w1') };
}

async function acquire(runId: string, workerId: string): Promise<Lane> {
  const run = await held.store.runs.get(runId);
  const lane = await held.store.lanes.acquire({
    repoId: run?.repoId ?? '',
    target: run?.target ?? '',
    workerId,
    leaseMs: 60_000,
  });
  if (lane === null) throw new Error('the lane is held');
  return lane;
}

async function intent(
  lane: Lane,
  work: LandingWork,
  given: { tree?: string; verdictTree?: string; passes?: boolean } = {},
) {
  const { tree = 'tree', verdictTree = tree, passes = true } = given;
  const verdict = { ...passed(verdictTree), passed: passes };
  const verdictId = await held.store.lanes.saveVerdict({ holding: mine(work), checksHash: 'h', verdict });
  const members = [{ holding: mine(work), verdictId, candidateCommit: head }];
  const written = await held.store.lanes.writeIntents({ lane, members, fromCommit: base, tree, holder });
  return written?.[0] ?? null;
}

it('gives a lane to one holder at a time, with an epoch that grows', async () => {
  const { runId, lane } = await landable('lane-a');
  const run = await held.store.runs.get(runId);
  const place = { repoId: run?.repoId ?? '', target: 'lane-a', leaseMs: 60_000 };
  expect(await held.store.lanes.acquire({ ...place, workerId: 'w2' })).toBeNull();
  await held.lapse();
  expect(await held.store.lanes.renew(lane, 60_000)).toBe(true);
  await held.lapse();
  const next = await held.store.lanes.acquire({ ...place, workerId: 'w2' });
  expect(next?.epoch).toBe(lane.epoch + 1);
  expect(await held.store.lanes.renew(lane, 60_000)).toBe(false);
  expect(await held.store.lanes.takeForLanding(lane, {})).toBeNull();
  await held.store.lanes.release(next ?? lane);
  expect((await acquire(runId, 'w3')).epoch).toBe(lane.epoch + 2);
});

it('lets the holder of a lane alone raise its epoch, and only upwards', async () => {
  const { runId, lane } = await landable('lane-old');
  const { lanes } = held.store;
  expect(await lanes.catchUp(lane, lane.epoch)).toBe(false);
  expect(await lanes.catchUp({ ...lane, epoch: lane.epoch - 1 }, 40)).toBe(false);
  expect(await lanes.catchUp(lane, 40)).toBe(true);
  expect(await lanes.catchUp(lane, 50)).toBe(false);
  expect((await acquire(runId, 'w2')).epoch).toBe(41);
});

it('lists the lanes that a host could serve', async () => {
  const { runId } = await landable('lane-listed');
  const run = await held.store.runs.get(runId);
  expect(await held.store.lanes.open({ host: 'here', runId })).toEqual([
    { repoId: run?.repoId, target: 'lane-listed' },
  ]);
  expect(await held.store.lanes.open({ host: 'elsewhere', runId })).toEqual([]);
});

it('refuses an intent without a passed verdict on this very tree, with an old fence, or with an old epoch', async () => {
  const { runId, lane } = await landable('lane-b');
  const work = await held.store.lanes.takeForLanding(lane, { runId });
  if (work === null) throw new Error('nothing to land');
  expect(await intent(lane, work, { passes: false })).toBeNull();
  expect(await intent(lane, work, { verdictTree: 'another' })).toBeNull();
  const again = await held.store.lanes.takeForLanding(lane, { runId });
  expect(again?.attempt.fence).toBe(work.attempt.fence + 1);
  await expect(intent(lane, work)).rejects.toSatisfy((error) => BatonError.is(error, 'LEASE_LOST'));
  await held.lapse();
  const taken = await acquire(runId, 'w2');
  if (again === null) throw new Error('not taken again');
  expect(await intent(lane, again)).toBeNull();
  const theirs = await held.store.lanes.takeForLanding(taken, { runId });
  if (theirs === null) throw new Error('not taken by the new holder');
  expect(await intent(taken, theirs)).not.toBeNull();
});

it('keeps a lane open for an unsettled intent, although its task is to be cancelled', async () => {
  const { runId, taskId, lane } = await landable('lane-cancelled');
  const work = await held.store.lanes.takeForLanding(lane, { runId });
  if (work === null) throw new Error('nothing to land');
  const landingId = await intent(lane, work);
  await held.store.tasks.cancel(taskId, by);
  await held.lapse();
  expect(await held.store.lanes.open({ host: 'here', runId })).toHaveLength(1);
  await held.store.lanes.abandon(landingId ?? '', 'its holder ended before the refs moved');
  expect(await held.store.lanes.open({ host: 'here', runId })).toEqual([]);
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await held.store.tasks.get(taskId)).toMatchObject({ status: 'FAILED', settled: true });
});

it('lets the next holder of a lane see and settle the open intent of the one before', async () => {
  const { runId, taskId, lane } = await landable('lane-c');
  const work = await held.store.lanes.takeForLanding(lane, { runId });
  if (work === null) throw new Error('nothing to land');
  const landingId = await intent(lane, work);
  expect(await intent(lane, work)).toBeNull();
  await held.lapse();
  const next = await acquire(runId, 'w2');
  expect(await held.store.lanes.takeForLanding(next, { runId })).toBeNull();
  expect(await held.store.lanes.openIntents(next)).toEqual([
    {
      landingId,
      laneId: lane.id,
      taskId,
      attemptId: work.attempt.id,
      epoch: lane.epoch,
      fromCommit: base,
      candidateCommit: head,
      tree: 'tree',
      holder,
    },
  ]);
  await held.store.lanes.abandon(landingId ?? '', 'the target does not hold it');
  await expect(held.store.lanes.confirm(landingId ?? '', { actor: 'w2' })).rejects.toSatisfy((error) =>
    BatonError.is(error, 'CONFLICT'),
  );
  const again = await held.store.lanes.takeForLanding(next, { runId });
  if (again === null) throw new Error('not taken again');
  const second = (await intent(next, again)) ?? '';
  const answers = await Promise.all([1, 2, 3].map(() => held.store.lanes.confirm(second, { actor: 'w2' })));
  expect(answers.map((answer) => answer.taskId)).toEqual([taskId, taskId, taskId]);
  expect((await held.store.tasks.landings({ taskId })).map((landing) => landing.commit)).toEqual([head]);
  const closed = (await held.store.tasks.history({ machine: 'task', entityId: taskId })).filter(
    (event) => event.to === 'CLOSED',
  );
  expect(closed).toHaveLength(1);
});

it('finds the yes of a tree by the checks that gave it, and never a no', async () => {
  const { runId, taskId, lane } = await landable('lane-d');
  const work = await held.store.lanes.takeForLanding(lane, { runId });
  if (work === null) throw new Error('nothing to land');
  const id = await held.store.lanes.saveVerdict({
    holding: mine(work),
    checksHash: 'gates-1',
    verdict: passed('tree-d'),
  });
  expect(await held.store.lanes.findVerdict({ tree: 'tree-d', checksHash: 'gates-1' })).toMatchObject({
    id,
    passed: true,
    taskId,
  });
  expect(await held.store.lanes.findVerdict({ tree: 'tree-d', checksHash: 'gates-2' })).toBeNull();
  const red = await held.store.lanes.saveVerdict({
    holding: mine(work),
    checksHash: 'gates-1',
    verdict: { ...passed('tree-d'), passed: false },
  });
  expect(await held.store.lanes.findVerdict({ tree: 'tree-d', checksHash: 'gates-1' })).toMatchObject({ id });
  expect((await held.store.tasks.verdicts(taskId)).map((verdict) => verdict.id)).toEqual([id, red]);
});

it('waits for a person, whose yes puts the work back into its lane and is worth one head', async () => {
  const { runId, taskId, lane } = await landable('lane-e', { approval: true });
  const work = await held.store.lanes.takeForLanding(lane, { runId });
  if (work === null) throw new Error('nothing to land');
  expect(work.approved).toBe(false);
  expect(await intent(lane, work)).toBeNull();
  await held.flow.tell({
    fact: 'approval_wanted',
    holding: mine(work),
    reason: 'asked for',
    headCommit: head,
    patchId: 'p1',
  });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({ cause: 'approval', owner: 'a person' });
  expect((await held.store.runs.settle(runId)).status).toBe('waiting');
  const [approval] = await held.store.approvals.list({ runId, status: 'waiting' });
  const decision = { ...by, approve: true, nonce: approval?.nonce ?? '' };
  await expect(
    held.store.approvals.decide(approval?.id ?? '', { ...decision, nonce: 'guess' }),
  ).rejects.toSatisfy((error) => BatonError.is(error, 'CONFLICT'));
  expect((await held.store.approvals.decide(approval?.id ?? '', decision)).status).toBe('DONE');
  await expect(held.store.approvals.decide(approval?.id ?? '', decision)).rejects.toSatisfy((error) =>
    BatonError.is(error, 'CONFLICT'),
  );
  const approved = await held.store.lanes.takeForLanding(lane, { runId });
  expect(approved?.approved).toBe(true);
  if (approved === null) throw new Error('not back in the lane');
  const landingId = await intent(lane, approved);
  await held.store.lanes.confirm(landingId ?? '', { actor: 'w1' });
  const overrides = (await held.store.tasks.history({ entityId: taskId })).filter(
    (event) => event.kind === 'override',
  );
  expect(overrides.map((event) => [event.event, event.actor])).toEqual([
    ['request_approval', 'worker:w1'],
    ['resolve_approval', by.actor],
  ]);
});

it('fails the task for good when a person says no, tries again for a no with words, and voids the question when it is cancelled', async () => {
  const ask = async (target: string) => {
    const { runId, taskId, lane } = await landable(target, { approval: true });
    const work = await held.store.lanes.takeForLanding(lane, { runId });
    if (work === null) throw new Error('nothing to land');
    await held.flow.tell({
      fact: 'approval_wanted',
      holding: mine(work),
      reason: 'asked for',
      headCommit: head,
      patchId: 'p1',
    });
    const [approval] = await held.store.approvals.list({ runId });
    return { taskId, approval };
  };
  const no = await ask('lane-f');
  const answer = await held.store.approvals.decide(no.approval?.id ?? '', {
    ...by,
    approve: false,
    nonce: no.approval?.nonce ?? '',
  });
  expect(answer).toMatchObject({ status: 'FAILED', settled: true });
  const again = await ask('lane-again');
  const spoken = { ...by, approve: false, nonce: again.approval?.nonce ?? '', say: 'in blue' };
  expect(await held.store.approvals.decide(again.approval?.id ?? '', spoken)).toMatchObject({
    ...{ status: 'OPEN', settled: false, tries: 1 },
  });
  expect((await held.store.tasks.attempts(again.taskId)).map(({ rejections }) => rejections)).toEqual([
    ['A person refused it: in blue'],
  ]);
  const gone = await ask('lane-g');
  expect(await held.store.tasks.cancel(gone.taskId, by)).toMatchObject({ status: 'FAILED', settled: true });
  expect((await held.store.approvals.list({ status: 'void' })).map((approval) => approval.id)).toEqual([
    gone.approval?.id,
  ]);
});

it('says why a finished task waits', async () => {
  const { runId, taskId, lane } = await landable('lane-h');
  expect(await held.store.tasks.explain(taskId)).toMatchObject({ cause: 'lane', owner: 'worker w1' });
  await held.store.lanes.noteWait(lane, {
    cause: 'checkout_dirty',
    text: 'main is checked out with changes',
  });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({
    cause: 'checkout_dirty',
    text: 'main is checked out with changes',
  });
  await held.store.lanes.noteWait(lane, { cause: 'landing_failed', text: 'GIT_FAILED: no folder' });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({
    ...{ cause: 'landing_failed', owner: 'the next worker, within seconds' },
    text: 'The last landing failed: GIT_FAILED: no folder.',
  });
  await held.store.lanes.noteWait(lane, { cause: null, text: null });
  await held.store.lanes.takeForLanding(lane, { runId });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({ cause: 'verifying', owner: 'worker w1' });
});

it('frees the lane and the finished work of a worker that is gone at once, for a new epoch and fence', async () => {
  const worker = { id: 'w1', name: 'one', host: 'here', pid: 7, pidStarted: '9', bootId: '9', capacity: 1 };
  await held.store.workers.register({ ...worker, labels: [], version: '0.0.0', runId: null });
  const { runId, taskId, lane } = await landable('gone');
  const taken = await held.store.lanes.takeForLanding(lane, { runId });
  await expect(acquire(runId, 'w2')).rejects.toThrow('the lane is held');
  await held.store.workers.setStatus('w1', 'offline', by);
  const next = await acquire(runId, 'w2');
  expect(next.epoch).toBeGreaterThan(lane.epoch);
  const again = await held.store.lanes.takeForLanding(next, { runId });
  expect(again).toMatchObject({ task: { id: taskId }, attempt: { workerId: 'w2' } });
  expect(again?.attempt.fence).toBeGreaterThan(taken?.attempt.fence ?? 0);
});
