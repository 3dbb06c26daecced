import { expect } from './expect.ts';
import { replay, taskMachine, type TransitionRecord } from '@baton/fsm-core';
import type { Real } from './driver.ts';
import { unmet, type ModelTask, type World } from './world.ts';

/** What both sides must agree on, by key. */
const ofModel = (task: ModelTask) => ({
  status: task.status,
  version: task.version,
  fence: task.fence,
  tries: task.tries,
  granted: task.granted,
  conflicts: task.conflicts,
  setbacks: task.setbacks,
  settled: task.settled,
  cancel: task.cancel,
  pending: unmet(task).length,
  later: task.status === 'OPEN' && task.later,
});

interface Row extends ReturnType<typeof ofModel> {
  key: string;
}

/** Compares every row of the run with the model, asks why each task stands where it does, and folds the histories that grew. */
export async function compare(world: World, real: Real): Promise<void> {
  const { rows } = await real.client.query<Row>(
    `SELECT key, status, version, fence::int, tries, granted_tries AS granted, conflicts, setbacks, settled, cancel_requested AS cancel,
       pending_dependencies AS pending, status = 'OPEN' AND coalesce(not_before > now(), false) AS later FROM task WHERE run_id = $1 ORDER BY created_at`,
    [world.runId],
  );
  expect(Object.fromEntries(rows.map(({ key, ...row }) => [key, row]))).toEqual(
    Object.fromEntries(world.tasks.map((task) => [task.key, ofModel(task)])),
  );
  expect((await real.store.runs.get(world.runId))?.status, 'status of the run').toBe(world.runStatus);
  await Promise.all([
    compareAttempts(world, real),
    compareSessions(world, real),
    ...world.tasks.flatMap((task) => [why(real, task), fold(real, task)]),
  ]);
}

/** Every task has an answer, and only a settled one is said to be. */
async function why(real: Real, task: ModelTask): Promise<void> {
  const { cause, settled } = await real.store.tasks.explain(task.id);
  const answer = `why ${task.key} (${task.status}) stands: ${cause}`;
  expect(settled, answer).toBe(task.settled);
  expect(['settled', 'retries_exhausted'].includes(cause), answer).toBe(task.settled);
}

async function compareAttempts(world: World, real: Real): Promise<void> {
  const stored = await real.store.tasks.listAttempts({ runId: world.runId });
  const shown = stored.map(({ taskId, number, fence, turnStatus, outcome, counted, endedAt }) => ({
    ...{ taskId, number, fence, turn: turnStatus, outcome, counted, ended: endedAt !== null },
  }));
  const expected = world.tasks.flatMap((task) =>
    task.attempts.map(({ number, fence, turn, outcome, counted, ended }) => ({
      taskId: task.id,
      number,
      fence,
      turn,
      outcome,
      counted,
      ended,
    })),
  );
  const order = (list: typeof shown) =>
    list.sort((a, b) => a.taskId.localeCompare(b.taskId) || a.number - b.number);
  expect(order(shown)).toEqual(order(expected));
}

async function compareSessions(world: World, real: Real): Promise<void> {
  const stored = await real.store.tasks.sessions({ runId: world.runId });
  const shown = stored.map(({ id, status, executionState, endedAt }) => [
    id,
    status,
    executionState,
    endedAt !== null,
  ]);
  const expected = world.sessions.map(({ id, status, execution, ended }) => [id, status, execution, ended]);
  expect(shown.sort()).toEqual(expected.sort());
}

/** One event for each move, and a history that leads to the row. */
async function fold(real: Real, task: ModelTask): Promise<void> {
  if (real.replayed.get(task.id) === task.version) return;
  real.replayed.set(task.id, task.version);
  const history = await real.store.tasks.history({ machine: 'task', entityId: task.id });
  const moves = history.filter(({ kind }) => kind === 'move' || kind === 'override');
  expect(moves.length, `events of ${task.key}`).toBe(task.version);
  if (task.version === 0) return;
  const { refused: _, ...result } = {
    refused: 0,
    ...replay(taskMachine, moves as unknown as TransitionRecord[]),
  };
  expect(result, `history of ${task.key}`).toEqual({ ok: true, state: task.status, seq: task.version });
}
