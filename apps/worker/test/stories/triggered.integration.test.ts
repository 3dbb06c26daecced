import { draftTask, gate, newTask, type Gate, type TaskDraft } from '@baton/contracts';
import { createPluginBus, definePlugin } from '@baton/plugins';
import { manualClock, until } from '@baton/testkit';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const allGreen = gate.parse({ name: 'lights', command: ['test', '-f', 'green'] });

function draftOf(file: string): TaskDraft {
  const agent = scripted({ steps: [{ write: { [file]: 'x\n' } }] });
  const given = newTask.parse({ key: file, title: `write ${file}`, files: [file], agent, maxRetries: 0 });
  return draftTask(given, { kind: 'trigger', by: 'watch', trusted: true });
}

/** Delivers an event whose rule has a file written. */
async function deliver(
  rig: Rig,
  file: string,
  { gates = [allGreen], draft = draftOf(file) }: { gates?: Gate[]; draft?: TaskDraft } = {},
): Promise<void> {
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
    defaults: { gates, agents: {}, defaultAgent: null, workspace: null, routing: null },
  };
  await rig.store.inbox.accept({ event, matches: [match] });
}

it('a standing run that found its base red continues at the next delivery, once the repository is mended', async () => {
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

it(
  'a held standing run takes the head of today when it is resumed, and says which branch is looked at once work has landed',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await rig.worker();
    await deliver(rig, 'one');
    const { id } = await rig.store.runs.find('trigger-watch');
    expect((await rig.settled(id, ['failed'])).statusReason).not.toContain('baton/trigger-watch');
    const by = { actor: 'operator:test', reason: 'mended' };
    const mended = await rig.repo.commit({ green: '' }, 'mended');
    await rig.store.runs.resume(id, by);
    const closed = async (key: string) => (await rig.tasks(id)).get(key)?.status === 'CLOSED';
    await until(() => closed('one'), { what: 'the first is closed', timeoutMs: 60_000 });
    expect((await rig.store.runs.get(id))?.baseCommit).toBe(mended);

    // Work has landed: what is committed on main is not seen any more.
    await rig.repo.git('checkout', '--quiet', 'baton/trigger-watch');
    await rig.repo.git('rm', '--quiet', 'green');
    await rig.repo.git('commit', '--quiet', '-m', 'broken');
    await rig.repo.git('checkout', '--quiet', 'main');
    await deliver(rig, 'two', { gates: [allGreen, gate.parse({ name: 'other', command: ['true'] })] });
    const held = await rig.settled(id, ['failed']);
    expect(held.statusReason).toMatch(
      /BASE_RED: .* taken from baton\/trigger-watch, .*The next look is at .*baton\/trigger-watch/s,
    );
    await rig.repo.git('checkout', '--quiet', 'baton/trigger-watch');
    await rig.repo.commit({ green: '' }, 'mended on the branch');
    await rig.repo.git('checkout', '--quiet', 'main');
    await rig.store.runs.resume(id, by);
    await until(() => closed('two'), { what: 'the second is closed', timeoutMs: 60_000 });
  },
);

it('an agent learns which run it is part of, so that events that it sends have a cause', async () => {
  await using rig = await createRig();
  await rig.worker();
  const says = 'echo "$BATON_CAUSE_RUN $BATON_CAUSE_DEPTH" > cause';
  const agent = { command: ['sh', '-c', says] };
  const given = newTask.parse({ key: 'say', title: 'say', files: ['cause'], agent, maxRetries: 0 });
  const source = { kind: 'trigger', by: 'watch', trusted: true, depth: 2 } as const;
  await deliver(rig, 'say', { gates: [], draft: draftTask(given, source) });
  const { id } = await rig.store.runs.find('trigger-watch');
  await until(async () => (await rig.tasks(id)).get('say')?.status === 'CLOSED', {
    what: 'the task is closed',
    timeoutMs: 60_000,
  });
  expect(await rig.repo.git('show', 'baton/trigger-watch:cause')).toBe(`${id} 3`);
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
