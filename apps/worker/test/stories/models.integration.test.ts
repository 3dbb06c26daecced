import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

it('asks a session for a model by the name that it knows, and fails a task at once whose model it does not know', async () => {
  await using rig = await createRig();
  const configOptions = [
    { id: 'model', category: 'model', currentValue: 'default', options: [{ value: 'sonnet' }] },
  ];
  const script = {
    steps: [{ write: { made: 'x' } }, { say: 'made' }],
    acp: { newSession: { configOptions } },
  };
  const { run } = await rig.submit({
    name: 'models',
    agents: { one: scripted(script, 'acp') },
    agent: 'one',
    stages: [
      {
        name: 'all',
        steps: [
          { key: 'right', title: 'right', model: 'claude-sonnet-5' },
          { key: 'wrong', title: 'wrong', model: 'claude-sonet-5' },
        ],
      },
    ],
  });
  await rig.worker({ capacity: 2 });
  await rig.settled(run.id, ['failed', 'stuck']);
  const tasks = await rig.tasks(run.id);
  expect(tasks.get('right')?.status).toBe('CLOSED');
  expect(tasks.get('wrong')).toMatchObject({ status: 'FAILED', settled: true, tries: 0 });
  const attempts = await rig.store.tasks.attempts(tasks.get('wrong')?.id ?? '');
  expect(attempts).toHaveLength(1);
  const { text } = await rig.store.tasks.explain(tasks.get('wrong')?.id ?? '');
  expect(text).toContain('does not know the model "claude-sonet-5"');
});
