import {
  advanceTask,
  checkpointOf,
  createCognitiveTask,
  replayCheckpoints,
  type Checkpoint,
} from '@baton/fsm-core';
import { expect, test } from 'vitest';
import { by, draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
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

test('a checkpoint log is kept in order, one written twice counts once, and it leads back to the state of its task', async () => {
  const { store } = t;
  const { runId } = await t.flow.open([draft('t0')]);
  const claim = await t.flow.claim(runId);
  const attemptId = claim.tasks[0]?.attempt.id ?? '';
  const { log } = thinking();
  for (const checkpoint of [...log, ...log.slice(0, 1)])
    await store.streams.appendCheckpoint({ attemptId, checkpoint });
  const found = await store.streams.checkpoints(attemptId);
  expect(found.map((one) => one.timing)).toEqual(['TASK_CREATED', 'REASON_DONE', 'TASK_SUSPENDED']);
  expect(replayCheckpoints(found)).toMatchObject({
    state: 'suspended',
    seq: 3,
    context: { suspendedState: 'acting', suspendReason: 'TASK_SUSPENDED' },
  });
  const [checkpoint] = log;
  if (checkpoint === undefined) throw new Error('no checkpoint');
  await expect(
    store.streams.appendCheckpoint({ attemptId: '00000000-0000-7000-8000-000000000000', checkpoint }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('checkpoints leave once their task has been settled for long enough; those of work that continues, or may, stay', async () => {
  const { store, sql, flow } = t;
  const kept = { scope: 'large', maxRetries: 0 } as const;
  const { runId } = await flow.open([draft('landed', kept), draft('failed', kept), draft('working', kept)]);
  const { log } = thinking();
  const think = async () => {
    const claim = await flow.claim(runId);
    const attempt = { key: claim.tasks[0]?.task.key ?? '', ...holding(claim) };
    for (const checkpoint of log)
      await store.streams.appendCheckpoint({ attemptId: attempt.attemptId, checkpoint });
    return { claim, attempt };
  };
  const left = async (attempts: { attemptId: string }[]) =>
    Promise.all(attempts.map(async ({ attemptId }) => (await store.streams.checkpoints(attemptId)).length));

  const landed = await think();
  await flow.launch(landed.claim);
  await flow.ready(landed.claim);
  await flow.done(landed.claim);
  await flow.over(landed.claim);
  const failed = await think();
  const reason = 'no disk';
  await flow.tell({
    fact: 'setup_failed',
    holding: holding(failed.claim),
    reason,
    retry: false,
    counted: true,
  });
  const working = await think();
  const attempts = [landed, failed, working].map(({ attempt }) => attempt);
  expect(attempts.map(({ key }) => key)).toEqual(['landed', 'failed', 'working']);
  await sql(`UPDATE cognitive_checkpoint SET at = at - interval '2 days'`);

  // Finished is not landed, failed is settled: but not for long enough.
  expect(await store.archive.prune({ checkpointsMs: 60_000 })).toMatchObject({ checkpoints: 0 });
  await flow.landAll(runId);
  await sql(`UPDATE task SET updated_at = updated_at - interval '2 days'`);
  await sql(`UPDATE attempt SET ended_at = ended_at - interval '2 days'`);
  expect(await store.archive.prune({ agentEventsMs: 0 })).toMatchObject({ checkpoints: 0 });
  expect(await store.archive.prune({ checkpointsMs: 3 * 86_400_000 })).toMatchObject({ checkpoints: 0 });
  await store.tasks.retry((await store.tasks.find('failed', { runId })).id, by);
  await sql(`UPDATE task SET updated_at = updated_at - interval '2 days'`);
  expect(await store.archive.prune({ checkpointsMs: 86_400_000 })).toMatchObject({ checkpoints: 3 });
  expect(await left(attempts)).toEqual([0, 3, 3]);
});
