import {
  advanceTask,
  checkpointOf,
  createCognitiveTask,
  replayCheckpoints,
  type Checkpoint,
} from '@baton/fsm-core';
import { expect, test } from 'vitest';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const t = testStore();

/** A task with a plan, and what was kept on the way. */
function thinking(): { log: Checkpoint[] } {
  const log: Checkpoint[] = [];
  let task = createCognitiveTask({ taskId: 't', source: 'test', text: 'zero \u0000 byte', at: 1 });
  for (const type of ['TASK_CREATED', 'REASON_DONE', 'TASK_SUSPENDED'] as const) {
    const before = task.snapshot.context;
    const advanced = advanceTask(task, { type, actor: 'test', reason: type, at: 2 });
    if (!advanced.ok) throw new Error(advanced.code);
    const checkpoint = checkpointOf(advanced.decision, log.length === 0 ? undefined : before);
    if (checkpoint !== null) log.push(checkpoint);
    task = advanced.task;
  }
  return { log };
}

test('a checkpoint log is kept in order, one written twice counts once, and it leads back to where the task stood', async () => {
  const { store } = t;
  const { runId } = await t.flow.open([draft('t0')]);
  const claim = await t.flow.claim(runId);
  const attemptId = claim.tasks[0]?.attempt.id ?? '';
  const { log } = thinking();
  for (const checkpoint of [...log, ...log.slice(0, 1)])
    await store.appendCheckpoint({ attemptId, checkpoint });
  const found = await store.checkpoints(attemptId);
  expect(found.map((one) => one.timing)).toEqual(['TASK_CREATED', 'REASON_DONE', 'TASK_SUSPENDED']);
  expect(replayCheckpoints(found)).toMatchObject({
    state: 'suspended',
    seq: 3,
    context: { suspendedState: 'acting', suspendReason: 'TASK_SUSPENDED' },
  });
  const [checkpoint] = log;
  if (checkpoint === undefined) throw new Error('no checkpoint');
  await expect(
    store.appendCheckpoint({ attemptId: '00000000-0000-7000-8000-000000000000', checkpoint }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
