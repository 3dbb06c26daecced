import path from 'node:path';
import { tempDir } from '@baton/testkit';
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
  expect(await rig.store.sessions({ runId: run.id })).toHaveLength(3);
});
