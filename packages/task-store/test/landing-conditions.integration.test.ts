import { BatonError } from '@baton/contracts';
import { expect, it } from 'vitest';
import type { Fact, Lane, LandingWork } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { base, head, passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const mine = (work: LandingWork) => ({ attemptId: work.attempt.id, fence: work.attempt.fence });
let targets = 0;
const place = () => ({ target: `lane-${++targets}`, repo: { location: '/landing', host: 'here' } });

async function acquire(runId: string, workerId = 'w1'): Promise<Lane | null> {
  const run = await held.store.runs.get(runId);
  const { repoId = '', target = '' } = run ?? {};
  return held.store.lanes.acquire({ repoId, target, workerId, leaseMs: 60_000 });
}

async function sure<T>(found: Promise<T | null>): Promise<T> {
  const value = await found;
  if (value === null) throw new Error('nothing was found');
  return value;
}

async function intent(lane: Lane, work: LandingWork, verdictId?: string): Promise<string | null> {
  const tree = `tree-${work.attempt.id}`;
  const saved =
    verdictId ??
    (await held.store.lanes.saveVerdict({ holding: mine(work), checksHash: 'h', verdict: passed(tree) }));
  const holder = { workerId: 'w1', host: 'here', pid: 1, pidStarted: '1', lockFiles: [] };
  const members = [{ holding: mine(work), verdictId: saved, candidateCommit: head }];
  const written = await held.store.lanes.writeIntents({ lane, members, fromCommit: base, tree, holder });
  return written?.[0] ?? null;
}

it('lets an earlier holder of a lane neither give it away nor say why it waits', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')], place());
  await held.flow.finish(runId);
  const old = await sure(acquire(runId));
  const said = (lane: Lane, text: string | null) =>
    held.store.lanes.noteWait(lane, { cause: text === null ? null : 'checkout_dirty', text });
  const waits = async () => (await held.store.tasks.explain(tasks[0]?.id ?? '')).text;
  await said(old, 'changes of the first');
  await held.lapse();
  const next = await sure(acquire(runId, 'w2'));
  expect(await waits()).not.toContain('changes of the first');
  await said(next, 'changes of the second');
  const since = () => held.sql('SELECT wait_since FROM lane WHERE id = $1', [next.id]);
  const first = await since();
  await said(next, 'more changes');
  expect(await since()).toEqual(first);
  await said(old, 'an old word');
  await held.store.lanes.release(old);
  expect(await waits()).toBe('more changes');
  expect(await acquire(runId, 'w3')).toBeNull();
});

it('takes in the order of doneness what is of its own target and run, and waits for who has taken it', async () => {
  const at = place();
  const { runId } = await held.flow.open([draft('first'), draft('second'), draft('third')], {
    ...at,
    batchSize: 1,
  });
  const other = await held.flow.open([draft('other-run')], at);
  const elsewhere = await held.flow.open([draft('other-target')], place());
  await held.flow.finish(elsewhere.runId);
  for (let n = 0; n < 2; n++) await held.flow.finish(runId);
  await held.flow.finish(other.runId);
  const lane = await sure(acquire(runId));
  const first = await sure(held.store.lanes.takeForLanding(lane, {}));
  expect(first.task.key).toBe('first');
  await held.store.lanes.release(lane);
  const next = await sure(acquire(runId, 'w2'));
  const taken = async (of?: string) =>
    (await held.store.lanes.takeForLanding(next, of === undefined ? {} : { runId: of }))?.task.key;
  expect(await taken()).toBe('second');
  expect(await taken(other.runId)).toBe('other-run');
  await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
    first.attempt.id,
  ]);
  expect(await taken(runId)).toBe('first');
});

it('lands a batch in its order, whatever was finished first, and names the nearest task that was refused', async () => {
  const keys = ['one', 'two', 'three'];
  const { runId, tasks } = await held.flow.open(
    keys.map((key, at) => draft(key, at > 0 ? { dependsOn: ['one'] } : {})),
    place(),
  );
  const claim = await held.flow.claim(runId, 3);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.done(claim, 0);
  for (const at of [1, 2]) {
    await held.flow.next(claim, at);
    await held.flow.done(claim, at);
  }
  await held.flow.over(claim);
  await held.sql(`UPDATE attempt SET done_at = now() - place * interval '1 minute' WHERE session_id = $1`, [
    claim.sessionId,
  ]);
  const lane = await sure(acquire(runId));
  const refuse = async (key: string) => {
    const work = await sure(held.store.lanes.takeForLanding(lane, { runId }));
    expect(work.task.key).toBe(key);
    await held.flow.tell({ fact: 'rejected', holding: mine(work), kind: 'rejected', reasons: ['no'] });
    return work;
  };
  expect((await refuse('one')).rejectedBefore).toBeNull();
  expect((await refuse('two')).rejectedBefore).toEqual({ taskId: tasks[0]?.id, dependedOn: true });
  const last = await sure(held.store.lanes.takeForLanding(lane, { runId }));
  expect([last.task.key, last.rejectedBefore]).toEqual(['three', { taskId: tasks[0]?.id, dependedOn: true }]);
  await held.sql('DELETE FROM task_dependency WHERE task_id = $1', [last.task.id]);
  const again = await sure(held.store.lanes.takeForLanding(lane, { runId }));
  expect(again.rejectedBefore).toEqual({ taskId: tasks[1]?.id, dependedOn: false });
});

it('writes an intent only for who holds lane and attempt now, of work that may land on this very target', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')], place());
  const elsewhere = await held.flow.open([draft('b')], place());
  await held.flow.finish(runId);
  await held.flow.finish(elsewhere.runId);
  const [lane, other] = [await sure(acquire(runId)), await sure(acquire(elsewhere.runId))];
  const work = await sure(held.store.lanes.takeForLanding(lane, { runId }));
  const verdictId = await held.store.lanes.saveVerdict({
    ...{ holding: mine(work), checksHash: 'h' },
    verdict: passed(`tree-${work.attempt.id}`),
  });
  const red = await held.store.lanes.saveVerdict({
    ...{ holding: mine(work), checksHash: 'h' },
    verdict: { ...passed(`tree-${work.attempt.id}`), passed: false },
  });
  expect(await intent(other, work, verdictId)).toBeNull();
  expect(await intent(lane, work, red)).toBeNull();
  const former = { ...work, attempt: { ...work.attempt, fence: work.attempt.fence - 1 } };
  expect(await intent(lane, former, verdictId)).toBeNull();
  await expect(intent(lane, former)).rejects.toSatisfy((error) => BatonError.is(error, 'LEASE_LOST'));
  await held.sql(`UPDATE lane SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [lane.id]);
  expect(await intent(lane, work, verdictId)).toBeNull();
  await held.store.lanes.renew(lane, 60_000);
  await held.sql('UPDATE task SET cancel_requested = true WHERE id = $1', [tasks[0]?.id]);
  expect(await intent(lane, work, verdictId)).toBeNull();
  await held.sql('UPDATE task SET cancel_requested = false WHERE id = $1', [tasks[0]?.id]);
  const landingId = (await intent(lane, work, verdictId)) ?? '';
  await held.store.lanes.confirm(landingId, { actor: 'worker:w1' });
  await held.store.lanes.abandon(landingId, 'too late');
  expect(await held.store.tasks.landings({ taskId: tasks[0]?.id ?? '' })).toMatchObject([{ commit: head }]);
  expect(await held.sql('SELECT abandoned_at FROM landing WHERE id = $1', [landingId])).toEqual([
    { abandoned_at: null },
  ]);
});

it("takes a person's yes for the head that was looked at, and a no for none", async () => {
  const { runId } = await held.flow.open([draft('a', { approval: true })], place());
  await held.flow.finish(runId);
  const lane = await sure(acquire(runId));
  const ask = async (headCommit: string) => {
    const work = await sure(held.store.lanes.takeForLanding(lane, { runId }));
    const question = { reason: 'asked for', headCommit, patchId: headCommit };
    await held.flow.tell({ fact: 'approval_wanted', holding: mine(work), ...question });
    const [approval] = await held.store.approvals.list({ runId, status: 'waiting' });
    await held.store.approvals.decide(approval?.id ?? '', {
      ...by,
      approve: true,
      nonce: approval?.nonce ?? '',
    });
    return sure(held.store.lanes.takeForLanding(lane, { runId }));
  };
  const elder = await ask('e'.repeat(40));
  expect(elder.approved).toBe(false);
  expect(await intent(lane, elder)).toBeNull();
  const approved = await ask(head);
  expect(approved.approved).toBe(true);
  await held.sql(`UPDATE approval SET status = 'rejected' WHERE head_commit = $1`, [head]);
  expect(await intent(lane, approved)).toBeNull();
  await held.sql(`UPDATE approval SET status = 'approved' WHERE head_commit = $1`, [head]);
  expect(await intent(lane, approved)).not.toBeNull();
});

it('serves only lanes of its host, also for an intent that somebody left open', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b')], { ...place(), batchSize: 1 });
  const other = await held.flow.open([draft('c')], place());
  for (const each of [runId, runId, other.runId]) await held.flow.finish(each);
  const lane = await sure(acquire(runId));
  const work = await sure(held.store.lanes.takeForLanding(lane, { runId }));
  const landingId = await intent(lane, work);
  await held.store.tasks.cancel(work.task.id, by);
  const rest = await held.store.tasks.find('b', { runId });
  await held.store.tasks.cancel(rest.id, by);
  const targetsOf = async (host: string, of?: string) =>
    (await held.store.lanes.open({ host, ...(of && { runId: of }) })).map(({ target }) => target);
  expect(await targetsOf('here', runId)).toEqual([lane.target]);
  expect(await targetsOf('elsewhere')).toEqual([]);
  expect(await targetsOf('here', other.runId)).not.toContain(lane.target);
  expect(await held.store.lanes.openIntents(lane)).toMatchObject([{ landingId, taskId: work.task.id }]);
});

it('lists the landings of one task or of its run', async () => {
  const at = place();
  const { runId, tasks } = await held.flow.open([draft('a'), draft('b')], { ...at, batchSize: 1 });
  const other = await held.flow.open([draft('c')], at);
  for (const each of [runId, runId, other.runId]) await held.flow.finish(each);
  for (const each of [runId, other.runId]) await held.flow.landAll(each);
  const of = async (filter: { runId?: string; taskId?: string; newest?: true }) =>
    (await held.store.tasks.landings(filter)).map(({ taskId }) => taskId);
  expect(await of({ runId })).toEqual(tasks.map(({ id }) => id));
  expect(await of({ runId, taskId: tasks[1]?.id ?? '' })).toEqual([tasks[1]?.id]);
  expect(await of({ runId: other.runId })).toEqual(other.tasks.map(({ id }) => id));
  expect(await of({ runId, newest: true })).toEqual([tasks[1]?.id]);
});

it('refuses that a task whose landing is under way is rejected or asks for a person, until the landing is given up', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')], place());
  await held.flow.finish(runId);
  const lane = await sure(acquire(runId));
  const work = await sure(held.store.lanes.takeForLanding(lane, {}));
  const landingId = await sure(intent(lane, work));
  const holding = mine(work);
  const rejected: Fact = { fact: 'rejected', holding, kind: 'rejected', reasons: ['red'] };
  const asked: Fact = { fact: 'approval_wanted', holding, reason: 'look', headCommit: head, patchId: 'p' };
  for (const fact of [rejected, asked])
    await expect(held.store.claims.record(fact, by)).rejects.toSatisfy((error) =>
      BatonError.is(error, 'ILLEGAL_TRANSITION'),
    );
  expect(await held.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({ status: 'DONE' });
  await held.store.lanes.abandon(landingId, 'not moved');
  expect(await held.store.claims.record(rejected, by)).toMatchObject({ ok: true });
});
