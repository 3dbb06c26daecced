import { draftTask, gate, newTask } from '@baton/contracts';
import { createPluginBus, definePlugin } from '@baton/plugins';
import { manualClock, until } from '@baton/testkit';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const allGreen = gate.parse({ name: 'lights', command: ['test', '-f', 'green'] });

/** Delivers an event whose rule has a file written. */
async function deliver(rig: Rig, file: string): Promise<void> {
  const agent = scripted({ steps: [{ write: { [file]: 'x\n' } }] });
  const given = newTask.parse({ key: file, title: `write ${file}`, files: [file], agent, maxRetries: 0 });
  const draft = draftTask(given, { kind: 'trigger', by: 'watch', trusted: true });
  const event = {
    source: 'webhook',
    deliveryId: file,
    kind: 'any',
    receivedAt: '2026-01-01T00:00:00Z',
    sender: null,
    trusted: true,
    data: {},
  };
  const match = {
    rule: 'watch',
    repo: { location: rig.repo.path, host: hostname() },
    target: 'baton/trigger-watch',
    baseCommit: null,
    draft,
    planned: false,
    defaults: { gates: [allGreen], agents: {}, defaultAgent: null, workspace: null, routing: null },
  };
  await rig.store.inbox.accept({ event, matches: [match] });
}

it('a standing run that found its base red goes on at the next delivery, once the repository is mended', async () => {
  await using rig = await createRig();
  await rig.worker();
  await deliver(rig, 'one');
  const { id } = await rig.store.runs.find('trigger-watch');
  expect((await rig.settled(id, ['failed'])).statusReason).toMatch(/BASE_RED.*lights/s);
  await deliver(rig, 'two');
  expect((await rig.settled(id, ['failed'])).statusReason).toMatch(/BASE_RED.*lights/s);

  const mended = await rig.repo.commit({ green: '' }, 'mended');
  await deliver(rig, 'three');
  await until(async () => [...(await rig.tasks(id)).values()].every(({ status }) => status === 'CLOSED'), {
    what: 'all three tasks are closed',
    timeoutMs: 60_000,
  });
  expect((await rig.store.runs.get(id))?.baseCommit).toBe(mended);
  expect(await rig.repo.git('ls-tree', '--name-only', 'baton/trigger-watch')).toBe(
    'green\none\nreadme.txt\nthree\ntwo',
  );
});

it('a plugin decides what an agent may do, task by task', async () => {
  await using rig = await createRig();
  const guard = definePlugin({
    name: 'guard',
    version: '1.0.0',
    setup(api) {
      api.intercept('agent:permission', { onError: 'deny' }, async ({ taskId, title }) => {
        const task = await rig.store.tasks.get(taskId);
        return task?.key === 'beta' && title === 'rm -rf build' ? { deny: 'not for beta' } : undefined;
      });
    },
  });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const plugins = createPluginBus({
    plugins: [{ plugin: guard }],
    log,
    clock: manualClock(),
    directory: rig.stateDir,
  });
  await plugins.setup();
  const asks = (name: string) => ({
    steps: [
      {
        askPermission: {
          title: 'rm -rf build',
          ifAllowed: [{ write: { [`${name}-allowed`]: '' } }],
          ifRejected: [{ write: { [`${name}-rejected`]: '' } }],
        },
      },
      { say: 'ok' },
    ],
  });
  const one = scripted({ tasks: { alpha: asks('alpha'), beta: asks('beta') } }, 'acp');
  const steps = ['alpha', 'beta'].map((key) => ({ key, title: `ask ${key}` }));
  const { run } = await rig.submit({
    name: 'asking',
    agents: { one },
    agent: 'one',
    stages: [{ name: 'all', steps }],
  });
  await rig.worker({ capacity: 1, plugins });
  await rig.settled(run.id);
  expect(await rig.repo.git('ls-tree', '--name-only', run.target)).toBe(
    'alpha-allowed\nbeta-rejected\nreadme.txt',
  );
  await plugins.teardown();
});
