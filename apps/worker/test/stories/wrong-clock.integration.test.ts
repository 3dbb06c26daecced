import { expect, it } from 'vitest';
import { createPluginBus, definePlugin } from '@baton/plugins';
import { systemClock } from '@baton/service/system';
import { until } from '@baton/testkit';
import type { Clock, Log } from '@baton/contracts';
import { createRig, scripted } from '../helpers/rig.ts';

const minute = 60_000;

/** The clock of a machine that is wrong by so much. */
function wrongBy(ms: number): Clock {
  return {
    now: () => new Date(systemClock.now().getTime() + ms),
    monotonicMs: () => systemClock.monotonicMs(),
  };
}

/** A log that keeps its warnings. */
function kept(): { log: Log; warnings: Record<string, unknown>[] } {
  const warnings: Record<string, unknown>[] = [];
  const none = () => undefined;
  return {
    warnings,
    log: { info: none, error: none, warn: (message, fields) => void warnings.push({ message, ...fields }) },
  };
}

const oneStep = (name: string) => ({
  name,
  stages: [
    {
      name: 'only',
      steps: [{ title: 'write', agent: scripted({ steps: [{ write: { 'out.txt': 'done\n' } }] }) }],
    },
  ],
});

it.each([
  ['ten minutes behind', -10 * minute, { behindMs: expect.any(Number) as number }],
  ['ten minutes ahead', 10 * minute, { aheadMs: expect.any(Number) as number }],
  ['years ahead', 3 * 365 * 24 * 60 * minute, { aheadMs: expect.any(Number) as number }],
])('a pause ends when it should though the clock of the worker is %s', async (_what, ms, said) => {
  await using rig = await createRig();
  const { log, warnings } = kept();
  const plugin = definePlugin({
    name: 'veto',
    version: '1.0.0',
    setup: (api) => api.intercept('task:claimed', { onError: 'deny' }, () => ({ deny: 'not now' })),
  });
  const plugins = createPluginBus({
    plugins: [{ plugin }],
    log,
    clock: systemClock,
    directory: rig.stateDir,
  });
  await plugins.setup();
  const { run } = await rig.submit(oneStep('paused'));
  await rig.worker({ clock: wrongBy(ms), plugins, log });
  const task = await until(
    async () => {
      const found = (await rig.tasks(run.id)).get('write');
      return found?.notBefore ? found : undefined;
    },
    { what: 'the task waits' },
  );
  const waits = (task.notBefore?.getTime() ?? 0) - systemClock.now().getTime();
  expect(waits).toBeGreaterThan(0);
  expect(waits).toBeLessThan(5 * minute);
  expect(warnings).toContainEqual(expect.objectContaining(said));
});

it('the deadline of a session is by the clock of the database, by which its reservation is freed', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(oneStep('late'));
  await rig.worker({ clock: wrongBy(-60 * minute) });
  await rig.settled(run.id);
  const [session] = await rig.store.tasks.sessions({ runId: run.id });
  expect(session?.deadlineAt?.getTime()).toBeGreaterThan(session?.createdAt.getTime() ?? Infinity);
});
