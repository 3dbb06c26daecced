import { BatonError } from '@baton/contracts';
import { manualClock } from '@baton/testkit';
import { expect, it } from 'vitest';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { sweeping } from './support/sweeping.ts';

const clock = manualClock();
const held = testStore({ clock });
const { sweep, awake, sweepLapsed } = sweeping(held, clock);

/** Does something whose second step, a move of tasks in that state, is cut off, as if the process were killed between the two. */
async function killedBefore(state: string, act: () => Promise<unknown>): Promise<void> {
  await held.sql(`CREATE OR REPLACE FUNCTION killed_here() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'killed here' USING ERRCODE = '57P01'; END $$`);
  await held.sql(`CREATE TRIGGER killed_here BEFORE UPDATE OF status ON task FOR EACH ROW WHEN (OLD.status = '${state}')
    EXECUTE FUNCTION killed_here()`);
  await expect(act()).rejects.toSatisfy((error) => BatonError.is(error, 'DATABASE_UNREACHABLE'));
  await held.sql('DROP TRIGGER killed_here ON task');
}

/** Splits the next task of a run into parts. */
async function split(runId: string, keys: string[]): Promise<void> {
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const children = keys.map((key) => draft(key, { priority: 0, scope: 'large' }));
  await held.flow.tell({ fact: 'decomposed', holding: holding(claim), children, reason: 'too big' });
  await held.flow.over(claim);
}

const statusOf = async (runId: string, key: string) => (await held.store.tasks.find(key, { runId })).status;

it('finishes every parent whose parts ended while the process that should have moved it was killed', async () => {
  const open = async (key: string, parts: string[]) => {
    const { runId } = await held.flow.open([draft(key)]);
    await split(runId, parts);
    await held.flow.finish(runId);
    await held.flow.land(await held.flow.take(runId));
    return runId;
  };
  const [closed, lost, going] = [
    await open('closed', ['a', 'b']),
    await open('lost', ['c', 'd', 'e']),
    await open('going', ['f', 'g']),
  ];
  await held.flow.finish(closed);
  const last = await held.flow.take(closed);
  await killedBefore('WAITING_FOR_SUBTASKS', () => held.flow.land(last));
  const part = await held.store.tasks.find('e', { runId: lost });
  await killedBefore('WAITING_FOR_SUBTASKS', () => held.store.tasks.cancel(part.id, by));
  const parents = async () => [
    await statusOf(closed, 'closed'),
    await statusOf(lost, 'lost'),
    await statusOf(going, 'going'),
  ];
  expect(await parents()).toEqual(Array.from({ length: 3 }, () => 'WAITING_FOR_SUBTASKS'));
  await sweep();
  expect(await parents()).toEqual(['DONE', 'BLOCKED', 'WAITING_FOR_SUBTASKS']);
  const parent = await held.store.tasks.find('closed', { runId: closed });
  const [fences] = await held.sql(
    'SELECT t.fence, (SELECT max(a.fence) FROM attempt a WHERE a.task_id = t.id) AS newest, (SELECT min(a.fence) FROM attempt a WHERE a.task_id = t.id) AS old FROM task t WHERE t.id = $1',
    [parent.id],
  );
  expect(fences).toMatchObject({ newest: fences?.['fence'] });
  expect(Number(fences?.['fence'])).toBeGreaterThan(Number(fences?.['old']));
  expect((await held.store.tasks.find('lost', { runId: lost })).blockedOn).toMatchObject({ task: part.id });
  expect(await held.flow.landAll(closed)).toEqual(['closed']);
});

it('ends a block on a task by key or id with that very task, also when the process that closed it was killed', async () => {
  const blockedOn = async () => {
    const keys = ['other', 'by-key', 'by-id'];
    const { runId, tasks } = await held.flow.open(
      keys.map((key, n) => draft(key, { scope: 'large', priority: 3 - n })),
    );
    for (const task of [tasks[0]?.id ?? '', 'other']) {
      const claim = await held.flow.claim(runId);
      await held.flow.tell({ fact: 'blocked', holding: holding(claim), on: { task }, reason: 'needs it' });
    }
    await held.flow.finish(runId);
    return { runId, blocked: async () => [await statusOf(runId, 'by-key'), await statusOf(runId, 'by-id')] };
  };
  const [told, killed] = [await blockedOn(), await blockedOn()];
  expect(await held.flow.landAll(told.runId)).toEqual(['other']);
  expect(await told.blocked()).toEqual(['OPEN', 'OPEN']);
  await sweep();
  expect(await killed.blocked()).toEqual(['BLOCKED', 'BLOCKED']);
  const work = await held.flow.take(killed.runId);
  await killedBefore('BLOCKED', () => held.flow.land(work));
  expect(await killed.blocked()).toEqual(['BLOCKED', 'BLOCKED']);
  await sweep();
  expect(await killed.blocked()).toEqual(['OPEN', 'OPEN']);
});

it('carries out cancels that their asker did not live to, but not under an agent', async () => {
  const { runId, tasks } = await held.flow.open(
    ['at-work', 'open', 'planned', 'apart'].map((key) => draft(key, { scope: 'large' })),
  );
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.sql(`UPDATE task SET cancel_requested = true WHERE run_id = $1 AND key <> 'apart'`, [runId]);
  expect(await sweep()).toMatchObject({ cancelled: 2 });
  expect(await Promise.all(tasks.map(({ key }) => statusOf(runId, key)))).toEqual([
    ...['IN_PROGRESS', 'CANCELLED', 'CANCELLED', 'OPEN'],
  ]);
});

it('keeps what a lost attempt reserved until its process must have ended, and frees no other', async () => {
  const { runId } = await held.flow.open(
    ['begun', 'claimed', 'other'].map((key) =>
      draft(key, { maxCostMicroUsd: 100, scope: key === 'other' ? 'large' : 'small' }),
    ),
    { budgetMicroUsd: 1000 },
  );
  const claim = await held.flow.claim(runId, 2);
  const start = { adapter: 'command', model: null, pid: 1, pidStarted: '1', workspace: '/w', route: {} };
  const deadlineAt = new Date(Date.UTC(2100, 0, 1));
  const holdings = claim.tasks.map((_, at) => holding(claim, at));
  await held.flow.tell({ fact: 'launched', holdings, ...start, deadlineAt });
  await held.flow.ready(claim);
  const other = await held.store.claims.claimBatch(request({ runId, workerId: 'w2' }));
  const reserved = async () => (await held.store.runs.get(runId))?.reservedMicroUsd;
  await awake();
  await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE session_id = $1`, [
    claim.sessionId,
  ]);
  expect(await sweep()).toMatchObject({
    orphaned: [claim.tasks[0]?.task.id],
    expired: [claim.tasks[1]?.task.id],
  });
  expect([await reserved(), other?.tasks.length]).toEqual([300, 1]);
  await held.sql(`UPDATE agent_session SET deadline_at = now() - interval '1 second' WHERE id = $1`, [
    claim.sessionId,
  ]);
  await sweep();
  expect(await reserved()).toBe(200);
});

it('expires a batch when all of its leases have lapsed, however long its agent was silent', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b')]);
  const claim = await held.flow.claim(runId, 2);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.sql(
    `UPDATE agent_session SET last_sign_at = now() - interval '1 day', created_at = now() - interval '1 day' WHERE id = $1`,
    [claim.sessionId],
  );
  await awake();
  await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
    claim.tasks[0]?.attempt.id,
  ]);
  expect(await sweep()).toMatchObject({ expired: [], orphaned: [] });
  expect((await held.store.tasks.sessions({ runId, live: true })).length).toBe(1);
  expect(await sweepLapsed()).toMatchObject({ expired: expect.arrayContaining([claim.tasks[1]?.task.id]) });
});

it('leaves what is due in a paused run asleep, and all waits of a run in force when it resumes', async () => {
  const { runId } = await held.flow.open([
    draft('due', { notBefore: '2100-01-01T00:00:00Z' }),
    draft('later', { notBefore: '2100-01-01T00:00:00Z' }),
  ]);
  await held.store.runs.pause(runId, by);
  await held.sql(
    `UPDATE task SET not_before = now() - interval '1 second' WHERE run_id = $1 AND key = 'due'`,
    [runId],
  );
  expect(await held.store.claims.wake({ actor: 'sweeper' })).toBe(0);
  await held.store.runs.resume(runId, by);
  expect((await held.flow.claim(runId, 2)).tasks.map(({ task }) => task.key)).toEqual(['due']);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
});
