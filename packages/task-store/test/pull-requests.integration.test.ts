import { expect, it } from 'vitest';
import type { LandingWork, RequestNote } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const mine = ({ attempt }: LandingWork) => ({ attemptId: attempt.id, fence: attempt.fence });
const later = 3_600_000;
const note = (given: Partial<RequestNote> = {}): RequestNote => ({
  ...{ branch: 'baton/run/a', state: 'open', number: 7, url: 'https://hub.test/7', trouble: null },
  ...{ lookInMs: later, gives: true },
  ...given,
});

/** A run with one finished task, taken by the holder of its lane. */
async function finished(target: string): Promise<{ runId: string; taskId: string; work: LandingWork }> {
  const { runId, tasks } = await held.flow.open([draft('a')], { target });
  await held.flow.finish(runId);
  return { runId, taskId: tasks[0]?.id ?? '', work: await held.flow.take(runId) };
}

const waits = async (runId: string): Promise<boolean> =>
  held.flow.take(runId).then(
    () => false,
    () => true,
  );

it('leaves work alone until its pull request is to be looked at, and then gives it with all that was noted', async () => {
  const { runId, taskId, work } = await finished('quiet');
  expect(work.request).toBeNull();
  expect(work.pushed).toEqual([]);
  const commit = { id: 'one', onto: 'base' };
  const opening = note({ state: 'opening', commit, lookInMs: 0, gives: false });
  expect(await held.store.pullRequests.note(mine(work), opening)).toMatchObject({ commits: ['one'] });
  await held.store.pullRequests.note(mine(work), note());
  expect(await waits(runId)).toBe(true);
  const told = await held.store.tasks.explain(taskId);
  expect(told).toMatchObject({ cause: 'pull_request_open', unblock: 'merge or close https://hub.test/7' });
  await held.store.runs.resume(runId, by);
  const again = await held.flow.take(runId);
  expect(again.attempt.fence).toBeGreaterThan(work.attempt.fence);
  expect(again).toMatchObject({ pushed: ['one'], request: { state: 'open', number: 7, onto: 'base' } });
  expect(await held.store.pullRequests.list(runId)).toMatchObject([{ key: 'a', status: 'DONE', number: 7 }]);
});

it('takes notes from the holder alone, and only of work that is DONE', async () => {
  const { work, runId } = await finished('fenced');
  const { attemptId, fence } = mine(work);
  expect(await held.store.pullRequests.note({ attemptId, fence: fence - 1 }, note())).toBeNull();
  expect(await held.store.pullRequests.list(runId)).toEqual([]);
  await held.flow.tell({ fact: 'rejected', holding: mine(work), kind: 'rejected', reasons: ['no'] });
  expect(await held.store.pullRequests.note(mine(work), note())).toBeNull();
});

it('counts looks that came to nothing, and lists each commit once, the newest last', async () => {
  const { work, taskId } = await finished('counted');
  const trouble = 'gh is not logged in.\nLog in with `gh auth login`.';
  for (const id of ['one', 'two', 'one'])
    await held.store.pullRequests.note(
      mine(work),
      note({ commit: { id, onto: id }, trouble, gives: false, lookInMs: 0 }),
    );
  const { commits, troubles } = (await held.store.pullRequests.note(
    mine(work),
    note({ trouble, gives: false }),
  )) ?? { commits: [], troubles: 0 };
  expect({ commits, troubles }).toEqual({ commits: ['two', 'one'], troubles: 4 });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({
    cause: 'pull_request_trouble',
    unblock: 'Log in with `gh auth login`.',
  });
  const well = await held.store.pullRequests.note(mine(work), note({ gives: false }));
  expect(well).toMatchObject({ troubles: 0, trouble: null, number: 7 });
});

it('keeps why the target is red until that is taken back', async () => {
  const { work, taskId } = await finished('red');
  const red = note({ state: 'merged', mergeCommit: 'm', red: 'gate whole: ended with 1', gives: false });
  await held.store.pullRequests.note(mine(work), red);
  const kept = await held.store.pullRequests.note(mine(work), note({ state: 'merged', gives: false }));
  expect(kept).toMatchObject({ red: 'gate whole: ended with 1', mergeCommit: 'm' });
  expect(await held.store.tasks.explain(taskId)).toMatchObject({ cause: 'merged_red', owner: 'a person' });
  const mended = await held.store.pullRequests.note(mine(work), note({ red: null, gives: false }));
  expect(mended?.red).toBeNull();
});

it('has one request for each attempt, and one of a task that is tried again knows what was pushed before', async () => {
  const { runId, work } = await finished('again');
  const closed = note({ state: 'closed', commit: { id: 'old', onto: 'x' }, gives: false });
  await held.store.pullRequests.note(mine(work), closed);
  await held.flow.tell({ fact: 'rejected', holding: mine(work), kind: 'conflict', reasons: ['no'] });
  await held.flow.finish(runId);
  const next = await held.flow.take(runId);
  expect(next).toMatchObject({ request: null, pushed: ['old'], pastRequests: [7] });
  await held.store.pullRequests.note(mine(next), note({ commit: { id: 'new', onto: 'y' } }));
  expect(await held.store.pullRequests.list(runId)).toHaveLength(2);
});
