import { rm } from 'node:fs/promises';
import { createRepo, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';

const keys = Array.from({ length: 12 }, (_, at) => `t${at}`);

/** Tasks that write a file each. */
const writing = (name: string, of: readonly string[]) => ({
  name,
  stages: [
    {
      name: 'all',
      steps: of.map((key) => ({
        ...{ key, title: key, scope: 'small' },
        agent: { command: ['tee', `out-${key}`] },
      })),
    },
  ],
});

/** The rig's store, of which nothing is given out to land until it is opened; `rounds` counts the looks for room. */
function gated({ store }: Rig) {
  const gate = { open: false, rounds: 0 };
  const behindGate: Rig['store'] = {
    ...store,
    lanes: {
      ...store.lanes,
      takeForLanding: async (...asked) => (gate.open ? store.lanes.takeForLanding(...asked) : null),
      landingBehind: (workerId) => {
        gate.rounds += 1;
        return store.lanes.landingBehind(workerId);
      },
    },
  };
  return { gate, store: behindGate };
}

async function count(rig: Rig, { runId, status }: { runId: string; status: string }): Promise<number> {
  return [...(await rig.tasks(runId)).values()].filter((task) => task.status === status).length;
}

const reached = (rig: Rig, look: { runId: string; status: string; most: number }) =>
  until(async () => ((await count(rig, look)) === look.most ? true : undefined), {
    what: `${look.most} tasks are ${look.status}`,
    timeoutMs: 60_000,
  });

it('starts no more work while as much as is allowed waits to land, and starts the rest as it lands', async () => {
  await using rig = await createRig();
  const { gate, store } = gated(rig);
  const { run } = await rig.submit(writing('behind', keys));
  await rig.worker({ capacity: 2, store });
  await reached(rig, { runId: run.id, status: 'DONE', most: 8 });
  const seen = gate.rounds;
  await until(() => gate.rounds > seen + 3, { what: 'the worker has looked for room again' });
  expect(await count(rig, { runId: run.id, status: 'OPEN' })).toBe(4);
  const waiting = [...(await rig.tasks(run.id)).values()].find(({ status }) => status === 'OPEN');
  expect(await rig.store.tasks.explain(waiting?.id ?? '')).toMatchObject({ cause: 'landing_behind' });
  gate.open = true;
  await rig.settled(run.id);
  expect(await count(rig, { runId: run.id, status: 'CLOSED' })).toBe(keys.length);
  expect(await mostDone(rig, run.id)).toBe(8);
});

/** The greatest number of tasks of a run that were DONE at one time, by its record. */
async function mostDone(rig: Rig, runId: string): Promise<number> {
  let [now, most] = [0, 0];
  for (const { machine, from, to } of await rig.store.feed.read({ after: 0, limit: 10_000, runId })) {
    if (machine !== 'task' || from === to) continue;
    now += to === 'DONE' ? 1 : from === 'DONE' ? -1 : 0;
    most = Math.max(most, now);
  }
  return most;
}

it(
  'lets agents work on while a lane waits for a person, and lands all of it afterwards',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const { gate, store } = gated(rig);
    await rig.repo.git('checkout', '--quiet', '-b', 'shared');
    const { run } = await rig.submit({ ...writing('dirty', keys), target: 'shared' });
    await rig.worker({ capacity: 2, store });
    await reached(rig, { runId: run.id, status: 'DONE', most: 8 });
    await rig.repo.write({ 'readme.txt': 'changed\n' });
    gate.open = true;
    await reached(rig, { runId: run.id, status: 'DONE', most: keys.length });
    await rig.repo.git('checkout', '--quiet', '--', 'readme.txt');
    await rig.settled(run.id);
    expect(await count(rig, { runId: run.id, status: 'CLOSED' })).toBe(keys.length);
  },
);

it(
  'lands in one repository although another is gone that has finished work, too',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const lost = await createRepo({ 'a.txt': 'a\n' });
    const { gate, store } = gated(rig);
    const first = await rig.submit(writing('lost', ['one']), {
      location: lost.path,
      baseCommit: null,
    });
    await rig.worker({ store });
    await reached(rig, { runId: first.run.id, status: 'DONE', most: 1 });
    await rm(lost.path, { recursive: true });
    gate.open = true;
    const second = await rig.submit(writing('kept', ['two']));
    await rig.settled(second.run.id);
    expect(await count(rig, { runId: first.run.id, status: 'CLOSED' })).toBe(0);
  },
);
