import { until } from '@baton/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { Lane, LandingWork } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { base, passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const mine = (work: LandingWork) => ({ attemptId: work.attempt.id, fence: work.attempt.fence });
const holder = { workerId: 'w1', host: 'here', pid: 7, pidStarted: '9', lockFiles: [] };
const commits = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40)];
let targets = 0;

/** A lane, and the finished work of three tasks that its holder has taken one after the other. */
async function train(): Promise<{ lane: Lane; works: LandingWork[]; taskIds: string[] }> {
  const target = `train-${++targets}`;
  const keys = ['a', 'b', 'c'];
  const { runId, tasks } = await held.flow.open(
    keys.map((key) => draft(key)),
    { target, batchSize: 1 },
  );
  for (const _ of keys) await held.flow.finish(runId);
  const { repoId } = (await held.store.runs.get(runId)) ?? expect.fail('no run');
  const taken = await held.store.lanes.acquire({ repoId, target, workerId: 'w1', leaseMs: 60_000 });
  const lane = taken ?? expect.fail('no lane');
  const works: LandingWork[] = [];
  for (;;) {
    const besides = works.map(({ attempt }) => attempt.id);
    const work = await held.store.lanes.takeForLanding(lane, { besides });
    if (work === null) return { lane, works, taskIds: tasks.map(({ id }) => id) };
    works.push(work);
  }
}

/** Verdicts of a train's members for the tree of its last, and its intents. */
async function intents(
  lane: Lane,
  works: readonly LandingWork[],
  { treeOf = () => 'tree' }: { treeOf?: (at: number) => string } = {},
): Promise<string[] | null> {
  const members = [];
  for (const [at, work] of works.entries()) {
    const kept = { holding: mine(work), checksHash: 'train', verdict: passed(treeOf(at)) };
    const verdictId = await held.store.lanes.saveVerdict(kept);
    members.push({ holding: mine(work), verdictId, candidateCommit: commits[at] ?? '' });
  }
  return held.store.lanes.writeIntents({ lane, members, fromCommit: base, tree: 'tree', holder });
}

const rows = (lane: Lane) => held.sql('SELECT id FROM landing WHERE lane_id = $1', [lane.id]);

it('gives the holder of a lane one work after the other, each once, as long as it says what it has', async () => {
  const { works, lane } = await train();
  expect(works.map(({ task }) => task.key)).toEqual(['a', 'b', 'c']);
  const again = await held.store.lanes.takeForLanding(lane, {});
  expect(again?.task.key).toBe('a');
});

it('writes the intents of a train in its order, and the next holder sees and settles them in it', async () => {
  const { lane, works, taskIds } = await train();
  const ids = await intents(lane, works);
  const open = await held.store.lanes.openIntents(lane);
  expect(open.map(({ landingId }) => landingId)).toEqual(ids);
  expect(open.map(({ candidateCommit }) => candidateCommit)).toEqual(commits);
  expect(open.map(({ taskId }) => taskId)).toEqual(taskIds);
  expect(await intents(lane, works.slice(0, 1)), 'the lane has open intents').toBeNull();
  for (const id of ids ?? []) await held.store.lanes.confirm(id, { actor: 'worker:w1' });
  for (const id of taskIds) expect((await held.store.tasks.get(id))?.status).toBe('CLOSED');
});

it('writes all intents of a train or none', async () => {
  const { lane, works, taskIds } = await train();
  const [first, second, third] = works as [LandingWork, LandingWork, LandingWork];
  await held.sql('UPDATE task SET cancel_requested = true WHERE id = $1', [taskIds[1]]);
  expect(await intents(lane, works), 'one is to be cancelled').toBeNull();
  await held.sql('UPDATE task SET cancel_requested = false WHERE id = $1', [taskIds[1]]);
  await held.sql('UPDATE task SET approval = true WHERE id = $1', [taskIds[2]]);
  expect(await intents(lane, works), 'one wants a yes').toBeNull();
  await held.sql('UPDATE task SET approval = false WHERE id = $1', [taskIds[2]]);
  expect(await intents(lane, works, { treeOf: (at) => (at === 1 ? 'another' : 'tree') })).toBeNull();
  const lost = { ...second, attempt: { ...second.attempt, fence: second.attempt.fence - 1 } };
  const verdicts = await Promise.all(
    [first, second, third].map((work) =>
      held.store.lanes.saveVerdict({ holding: mine(work), checksHash: 'h', verdict: passed('tree') }),
    ),
  );
  const members = [first, lost, third].map((work, at) => ({
    ...{ holding: mine(work), verdictId: verdicts[at] ?? '', candidateCommit: commits[at] ?? '' },
  }));
  const refs = { fromCommit: base, tree: 'tree', holder };
  expect(
    await held.store.lanes.writeIntents({ lane, members, ...refs }),
    'one has another holder',
  ).toBeNull();
  expect(await rows(lane)).toEqual([]);
  expect(await intents(lane, works)).toHaveLength(3);
});

it('takes no intents as long as one of the train before is open, whichever it is', async () => {
  const { lane, works } = await train();
  const ids = (await intents(lane, works)) ?? expect.fail('refused');
  for (const [at, id] of ids.entries()) {
    expect(await intents(lane, works.slice(0, 1)), `${ids.length - at} are open`).toBeNull();
    await held.store.lanes.abandon(id, 'the refs did not move');
  }
  expect(await intents(lane, works.slice(0, 1))).toHaveLength(1);
});

it('gives a lane the intents of one of two calls that come at the same moment', async () => {
  const { lane, works } = await train();
  const [first, ...others] = works as [LandingWork, ...LandingWork[]];
  const written = await Promise.all([intents(lane, [first]), intents(lane, others)]);
  expect(written.filter((ids) => ids !== null)).toHaveLength(1);
  expect(await rows(lane)).toHaveLength(written.flat().filter((id) => id !== null).length);
});

it('lets no task of a train be cancelled between the look at it and its intent, however long others are waited for', async () => {
  const { lane, works, taskIds } = await train();
  // Tasks are locked in the order of their ids.
  const [first, , last] = works.toSorted((one, other) => (one.task.id < other.task.id ? -1 : 1));
  const client = new pg.Client({ connectionString: held.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM attempt WHERE id = $1 FOR UPDATE', [last?.attempt.id]);
  const written = intents(lane, works);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%given AS%'`;
  await until(async () => (await held.sql(waiting)).length > 0 || undefined, {
    what: 'the intents wait',
    timeoutMs: 10_000,
  });
  const cancelled = held.store.tasks.cancel(first?.task.id ?? '', by);
  await client.query('COMMIT');
  await client.end();
  const ids = (await written) ?? expect.fail('refused');
  expect(await cancelled).toMatchObject({ status: 'DONE', cancelRequested: true });
  for (const id of ids) await held.store.lanes.confirm(id, { actor: 'worker:w1' });
  for (const id of taskIds) expect((await held.store.tasks.get(id))?.status).toBe('CLOSED');
});
