import { until } from '@baton/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';
import { draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'operator:test', reason: 'test' };

/** Tasks that can be claimed, until there are no more. */
async function claimable(runId: string): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const claim = await held.store.claims.claimBatch(request({ runId }));
    if (claim === null) return keys.sort();
    keys.push(...claim.tasks.map(({ task }) => task.key));
  }
}

const isWaiting = async (count: number) => {
  const locked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await held.sql(locked)).length === count;
};

/** Does `late` while `early` has begun and cannot end, since somebody holds a row that it needs. */
async function meanwhile(
  row: { table: 'task' | 'run'; id: string; lock: 'FOR UPDATE' | 'FOR SHARE' },
  { early, late }: Record<'early' | 'late', () => Promise<unknown>>,
): Promise<void> {
  const somebody = new pg.Client({ connectionString: held.url });
  await somebody.connect();
  try {
    await somebody.query('BEGIN');
    await somebody.query(`SELECT 1 FROM ${row.table} WHERE id = $1 ${row.lock}`, [row.id]);
    const first = early();
    await until(() => isWaiting(1), { what: 'the first one waits' });
    let isDone = false;
    const second = late().finally(() => (isDone = true));
    await until(async () => isDone || (await isWaiting(2)), { what: 'the second one waits or is done' });
    await somebody.query('COMMIT');
    await Promise.all([first, second]);
  } finally {
    await somebody.end();
  }
}

/** A run with a task that is ready, and one that a worker holds. */
async function heldAndReady() {
  const { runId, tasks } = await held.flow.open([draft('held', { priority: 1 }), draft('ready')]);
  const claim = await held.flow.claim(runId);
  expect(claim.tasks.map(({ task }) => task.key)).toEqual(['held']);
  const ready = tasks.find(({ key }) => key === 'ready');
  if (ready === undefined) throw new Error('no such task');
  return {
    runId,
    ready: { table: 'task' as const, id: ready.id, lock: 'FOR UPDATE' as const },
    release: () => held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'no slot' }),
  };
}

const addTo = (runId: string) => () =>
  held.store.tasks.add(runId, { ...by, drafts: [draft('added')], planned: false });

it('a task added while its run is paused is not claimable', async () => {
  const { runId, ready } = await heldAndReady();
  await meanwhile(ready, { early: () => held.store.runs.pause(runId, by), late: addTo(runId) });
  expect(await claimable(runId)).toEqual([]);
});

it('a task added while its run resumes is claimable', async () => {
  const { runId, ready } = await heldAndReady();
  await held.store.runs.pause(runId, by);
  await meanwhile(ready, { early: () => held.store.runs.resume(runId, by), late: addTo(runId) });
  expect(await claimable(runId)).toEqual(['added', 'ready']);
});

it('a task given back while its run is paused is not claimable', async () => {
  const { runId, ready, release } = await heldAndReady();
  await meanwhile(ready, { early: () => held.store.runs.pause(runId, by), late: release });
  expect(await claimable(runId)).toEqual([]);
});

it('a task given back while its run resumes is claimable', async () => {
  const { runId, ready, release } = await heldAndReady();
  await held.store.runs.pause(runId, by);
  await meanwhile(ready, { early: () => held.store.runs.resume(runId, by), late: release });
  expect(await claimable(runId)).toEqual(['held', 'ready']);
});

it('a task whose time comes while its run is paused is not claimable', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('ready'),
    draft('asleep', { notBefore: '2100-01-01T00:00:00.000Z' }),
  ]);
  const id = tasks.find(({ key }) => key === 'ready')?.id ?? '';
  await held.makeDue();
  await meanwhile(
    { table: 'task', id, lock: 'FOR UPDATE' },
    {
      early: () => held.store.runs.pause(runId, by),
      late: () => held.store.claims.wake({ actor: 'sweeper' }),
    },
  );
  expect(await claimable(runId)).toEqual([]);
});

it('a run that gets a task while it ends does not end', async () => {
  const { runId } = await held.flow.open([draft('first')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  await meanwhile(
    { table: 'run', id: runId, lock: 'FOR SHARE' },
    { early: () => held.store.runs.settle(runId), late: addTo(runId) },
  );
  expect(await held.store.runs.get(runId)).toMatchObject({ status: 'running', finishedAt: null });
  expect(await claimable(runId)).toEqual(['added']);
});

it('nothing is added to a cancelled run, and the same command may be given again', async () => {
  const { runId } = await held.flow.open([draft('first')]);
  const add = (commandId: string, key: string) =>
    held.store.tasks.add(runId, { ...by, commandId, drafts: [draft(key)], planned: false });
  const [before] = await add('c1', 'before');
  await held.store.runs.cancel(runId, by);
  await expect(add('c2', 'after')).rejects.toMatchObject({ code: 'CONFLICT', message: /is cancelled/ });
  await expect(addTo(runId)()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await add('c1', 'before'))[0]?.id).toBe(before?.id);
  expect((await held.store.tasks.list({ runId, limit: 9 })).items.map(({ key }) => key).sort()).toEqual([
    'before',
    'first',
  ]);
});

it('nothing waits for a task that was cancelled while it was added', async () => {
  const { runId, tasks } = await held.flow.open([draft('first'), draft('other')]);
  const first = tasks.find(({ key }) => key === 'first');
  if (first === undefined) throw new Error('no such task');
  const drafts = [draft('follower', { dependsOn: ['other', 'first'] })];
  await meanwhile(
    { table: 'run', id: runId, lock: 'FOR UPDATE' },
    {
      early: () =>
        expect(held.store.tasks.add(runId, { ...by, drafts, planned: false })).rejects.toMatchObject({
          code: 'CONFLICT',
          message: /"first" is cancelled/,
        }),
      late: () => held.store.tasks.cancel(first.id, by),
    },
  );
});

it('the sweep settles a run that no process settled after its last task, or after one that came later', async () => {
  const { runId } = await held.flow.open([draft('first')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await held.store.runs.get(runId)).toMatchObject({ status: 'done' });
  // As if the process had been killed between the addition and what follows it.
  await held.sql(
    `SELECT baton_add(jsonb_build_object('run_id', t.run_id, 'edges', '[]'::jsonb, 'by', $2::jsonb, 'tasks',
      jsonb_build_array(to_jsonb(t) || jsonb_build_object('id', gen_random_uuid(), 'key', 'later', 'status', 'OPEN')))) FROM task t WHERE t.run_id = $1`,
    [runId, JSON.stringify(by)],
  );
  expect(await held.store.runs.get(runId)).toMatchObject({ status: 'done' });
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await held.store.runs.get(runId)).toMatchObject({ status: 'running', finishedAt: null });
  expect(await claimable(runId)).toEqual(['later']);
});

it('settling a run whose tasks keep moving leaves it to those who move them', async () => {
  const { runId } = await held.flow.open([draft('first')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  const name = 'baton_must_have_seen(uuid, text)';
  const [was] = await held.sql(`SELECT pg_get_functiondef($1::regprocedure) AS text`, [name]);
  // As if somebody had moved a task at every look.
  await held.sql(`CREATE OR REPLACE FUNCTION baton_must_have_seen(v_run uuid, seen text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010'; END; $$`);
  try {
    expect(await held.store.runs.settle(runId)).toMatchObject({ status: 'running' });
  } finally {
    await held.sql(String(was?.['text']));
  }
  expect(await held.store.runs.settle(runId)).toMatchObject({ status: 'done' });
});
