import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, type FakeStep } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

const keys = ['alpha', 'beta', 'gamma'];

it('has three steps of one agent at work at the same time, whatever the batch size', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const at = (key: string) => path.join(folder.path, key);
  // Each says that it is at work, and ends when all of them are.
  const stepsOf = (key: string) => [
    { write: { [key]: key, [at(key)]: '' } },
    ...keys.map((other) => ({ waitFor: at(other) })),
    { say: `made ${key}` },
  ];
  const tasks = Object.fromEntries(keys.map((key) => [key, { steps: stepsOf(key) }]));
  const { run } = await rig.submit({
    name: 'side-by-side',
    agents: { one: scripted({ tasks }, 'acp') },
    agent: 'one',
    stages: [{ name: 'all', steps: keys.map((key) => ({ key, title: key, scope: 'small' })) }],
  });
  await rig.worker({ capacity: 3 });
  await rig.settled(run.id);
  expect([...(await rig.tasks(run.id)).values()].map(({ status }) => status)).toEqual(
    keys.map(() => 'CLOSED'),
  );
  expect(await rig.store.tasks.sessions({ runId: run.id })).toHaveLength(3);
});

it(
  'pays for no more runs in a batch with a bad member than without batches',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using folder = await tempDir();
    const paid = path.join(folder.path, 'paid');
    const counted = (key: string, ...steps: FakeStep[]) => ({
      steps: [{ append: { [paid]: `${key}\n` } }, ...steps, { say: `said ${key}` }],
    });
    // Alpha and beta never change anything, which the janitor rejects; gamma does its work, delta needs alpha.
    const tasks = {
      delta: counted('delta', { write: { delta: 'd' } }),
      gamma: counted('gamma', { write: { gamma: 'g' } }),
      alpha: counted('alpha'),
      beta: counted('beta'),
    };
    const step = (key: string, more = {}) => ({ key, title: key, scope: 'small', max_retries: 1, ...more });
    const { run } = await rig.submit({
      name: 'bad-member',
      batch_size: 3,
      agents: { one: { ...scripted({ tasks }, 'acp'), warm: true } },
      agent: 'one',
      stages: [
        {
          name: 'all',
          steps: [
            step('alpha', { priority: 1 }),
            step('delta', { depends_on: ['alpha'], priority: 1 }),
            step('beta'),
            step('gamma'),
          ],
        },
      ],
    });
    await rig.worker({ capacity: 3 });
    await rig.settled(run.id, ['failed', 'stuck']);
    const runs = (await readFile(paid, 'utf8')).trim().split('\n').sort();
    expect(runs).toEqual(['alpha', 'alpha', 'beta', 'beta', 'gamma']);
    const { items } = await rig.store.tasks.list({ runId: run.id });
    const outcomes = await Promise.all(items.map(async ({ id }) => rig.store.tasks.attempts(id)));
    expect(new Set(outcomes.flat().map(({ outcome }) => outcome))).toEqual(
      new Set(['rejected', 'done', 'released']),
    );
  },
);
