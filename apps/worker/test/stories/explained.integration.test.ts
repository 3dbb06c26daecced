import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

/** What a real worker leaves behind, so that `explain` names the cause and not only that the task waits. */
it('names the unknown price of a model that a worker will not start under a budget', async () => {
  await using rig = await createRig();
  const agent = {
    ...scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }, 'acp'),
    model: 'nobody-knows-this',
  };
  const { run } = await rig.submit({
    name: 'priced',
    budget: { usd: 1 },
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent }] }],
  });
  await rig.worker();
  const task = (await rig.tasks(run.id)).get('job');
  const explained = await until(
    async () => {
      const told = await rig.store.tasks.explain(task?.id ?? '');
      return told.cause === 'price_unknown' ? told : null;
    },
    { what: 'the worker has given it back', timeoutMs: 30_000 },
  );
  expect(explained).toMatchObject({ status: 'OPEN', owner: 'a person' });
  expect(explained.until).toBeInstanceOf(Date);
  expect(explained.text).toContain('nobody-knows-this');
  const [attempt] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(attempt).toMatchObject({ outcome: 'price_unknown', counted: false });
});
