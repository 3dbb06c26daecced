import { expect, it } from 'vitest';
import type { Store } from '@baton/task-store';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const agent = {
  ...scripted(
    {
      steps: [
        { say: 'I am at it.' },
        {
          update: {
            sessionUpdate: 'usage_update',
            used: 1,
            size: 9,
            cost: { amount: 0.1, currency: 'USD' },
          },
        },
        { write: { 'a.txt': 'a\n' } },
      ],
    },
    'acp',
  ),
  model: 'gpt-4o',
};

/** A store in which the first attempt ends, as by a sweep after its lease, right before its agent is asked. */
function endingFirst(rig: Rig, runId: string): Store {
  let isFirst = true;
  return {
    ...rig.store,
    streams: {
      ...rig.store.streams,
      async openMeter(attemptId, options) {
        if (isFirst) {
          isFirst = false;
          const attempts = await rig.store.tasks.listAttempts({ runId });
          const { fence } = attempts.find(({ id }) => id === attemptId) ?? expect.fail('no attempt');
          const outcome = await rig.store.claims.record(
            { fact: 'released', holding: { attemptId, fence }, reason: 'its lease has lapsed' },
            { actor: 'sweeper' },
          );
          expect(outcome).toMatchObject({ ok: true });
        }
        return rig.store.streams.openMeter(attemptId, options);
      },
    },
  };
}

it('asks no agent for an attempt that ended while its worker slept: its money may be reserved for another', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit({
    name: 'asleep',
    budget: { usd: 5 },
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent }] }],
  });
  await rig.worker({ runId: run.id, store: endingFirst(rig, run.id) });
  await rig.settled(run.id);
  const attempts = await rig.store.tasks.listAttempts({ runId: run.id });
  const costs = attempts.toSorted((a, b) => a.number - b.number).map(({ costMicroUsd }) => costMicroUsd);
  expect(costs).toEqual([0, 100_000]);
  expect(await rig.store.runs.get(run.id)).toMatchObject({ spentMicroUsd: 100_000, reservedMicroUsd: 0 });
});
