import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { head } from './support/flow.ts';
import { ownStore, type TestStore } from './support/store.ts';

const hostOf = { host: 'here', pid: 7, pidStarted: '9', bootId: 'b', labels: [], version: '1', capacity: 2 };
const since = '2026-01-01T00:00:00.000Z';
const note = (one: string, other: string | null) =>
  ({ attempts: [one, other], target: 'baton/run', files: ['a.txt'], more: 2, since }) as const;

/** A run of which two tasks are at work, by a registered worker. */
async function twoAtWork({ store, flow }: TestStore) {
  await store.workers.register({ id: 'w1', name: 'one', ...hostOf, runId: null });
  const { runId, tasks } = await flow.open([draft('a'), draft('b'), draft('c')]);
  const claims = [await flow.working(runId), await flow.working(runId)];
  const [one, other] = claims.map(({ tasks: [first] }) => first?.attempt.id ?? '');
  const idOf = (key: string) => tasks.find((task) => task.key === key)?.id ?? '';
  const keys = async () =>
    (await store.tasks.expectedConflicts({ runId })).map(
      ({ taskId, with: against }) =>
        `${tasks.find(({ id }) => id === taskId)?.key} ${against?.key ?? 'target'}`,
    );
  return { runId, claims, one: one ?? '', other: other ?? '', idOf, keys };
}

it('a note is a warning of both of its tasks, in explanations and of a run, until it is replaced', async () => {
  await using held = await ownStore();
  const { runId, one, other, idOf, keys } = await twoAtWork(held);
  const { store } = held;
  await store.workers.setExpectedConflicts('w1', [note(one, other), note(one, null)]);
  expect(await keys()).toEqual(['a target', 'a b', 'b a']);
  const explained = await store.tasks.explain(idOf('b'));
  expect(explained).toMatchObject({ cause: 'running', also: [] });
  expect(explained.expectedConflicts).toEqual([
    {
      ...{ taskId: idOf('b'), target: 'baton/run', files: ['a.txt'], more: 2, since: new Date(since) },
      with: { taskId: idOf('a'), key: 'a', run: (await store.runs.get(runId))?.slug, sameRun: true },
    },
  ]);
  expect((await store.tasks.explain(idOf('c'))).expectedConflicts).toEqual([]);
  await store.workers.setExpectedConflicts('w1', []);
  expect(await keys()).toEqual([]);
});

it('a warning ends with either attempt, and with the worker that gave it', async () => {
  await using held = await ownStore();
  const { store, flow, sql } = held;
  const { runId, claims, one, other, keys } = await twoAtWork(held);
  await store.workers.setExpectedConflicts('w1', [note(one, other)]);
  expect(await keys()).toHaveLength(2);
  await sql(`UPDATE worker SET heartbeat_at = now() - interval '3 minutes'`);
  expect(await keys()).toEqual([]);
  await store.workers.heartbeat('w1');
  const [first] = claims;
  if (first === undefined) throw new Error('no claim');
  await flow.done(first);
  await flow.over(first);
  expect(await keys()).toHaveLength(2);
  await flow.landAll(runId);
  expect(await keys()).toEqual([]);
  await store.workers.setExpectedConflicts('w1', [note(other, null)]);
  expect(await keys()).toEqual(['b target']);
  await store.workers.setStatus('w1', 'offline', { actor: 'worker:one', reason: 'it ended' });
  expect(await keys()).toEqual([]);
  await store.workers.register({ id: 'w1', name: 'one', ...hostOf, runId: null });
  expect(await keys()).toEqual([]);
});

it('what is kept of warnings has a limit', async () => {
  await using held = await ownStore();
  const { one } = await twoAtWork(held);
  await held.store.workers.setExpectedConflicts('w1', Array(500).fill(note(one, null)));
  const [row] = await held.sql('SELECT jsonb_array_length(expected_conflicts) AS n FROM worker');
  expect(row).toEqual({ n: 200 });
});

it('work under way is that on the targets of a worker, at work and finished, and none without agents', async () => {
  await using held = await ownStore();
  const { store, flow } = held;
  const { claims, one, other } = await twoAtWork(held);
  const elsewhere = await flow.open([draft('x')], { target: 'baton/else' });
  await store.workers.register({ id: 'w2', name: 'two', ...hostOf, runId: null });
  expect((await store.lanes.underWay('w1')).map(({ attemptId }) => attemptId)).toEqual([one, other]);
  expect(await store.lanes.underWay('w2')).toEqual([]);
  const [first] = claims;
  if (first === undefined) throw new Error('no claim');
  await flow.done(first);
  const works = await store.lanes.underWay('w1');
  expect(works).toMatchObject([
    { attemptId: one, startCommit: 'b'.repeat(40), headCommit: head, place: null },
    { attemptId: other, headCommit: null, place: { host: 'here', workspace: '/w' }, workerLives: true },
  ]);
  await flow.working(elsewhere.runId);
  expect((await store.lanes.underWay('w1')).map(({ target }) => target)).toEqual([
    'baton/run',
    'baton/run',
    'baton/else',
  ]);
});
