import { ownSpace } from '@baton/spawner';
import { until } from '@baton/testkit';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const works = { agent: scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }) };
const plan = (name: string) => ({
  name,
  stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', ...works }] }],
});

/** Claims the run's task in a worker's name, as if the answer never reached it. */
async function claimFor(rig: Rig, { workerId, runId }: { workerId: string; runId: string }): Promise<void> {
  const claim = await rig.store.claims.claimBatch({
    workerId,
    runId,
    maxTasks: 1,
    leaseMs: 120_000,
    capabilities: { host: hostname(), labels: [] },
  });
  expect(claim?.run.id).toBe(runId);
}

function isGivenBack(rig: Rig, runId: string): Promise<true> {
  return until(
    async () => {
      const job = (await rig.tasks(runId)).get('job');
      const live = await rig.store.tasks.sessions({ runId, live: true });
      return job?.status === 'OPEN' && job.tries === 0 && live.length === 0;
    },
    { what: 'the task is open again and its session has ended', timeoutMs: 30_000 },
  );
}

it('gives back a task that it claimed without hearing of it, and carries it out', async () => {
  await using rig = await createRig();
  const other = await rig.submit(plan('other'));
  const { run } = await rig.submit(plan('lost'));
  const worker = await rig.worker({ runId: other.run.id });
  await claimFor(rig, { workerId: worker.id, runId: run.id });
  await isGivenBack(rig, run.id);
  await rig.worker({ runId: run.id });
  await rig.settled(run.id);
});

it('leaves no session behind when it ends, not even one that it never heard of', async () => {
  await using rig = await createRig();
  const other = await rig.submit(plan('other'));
  const { run } = await rig.submit(plan('lost'));
  const worker = await rig.worker({ runId: other.run.id });
  await rig.settled(other.run.id);
  await claimFor(rig, { workerId: worker.id, runId: run.id });
  await worker.stop();
  expect(await rig.store.tasks.sessions({ live: true })).toEqual([]);
  expect((await rig.tasks(run.id)).get('job')).toMatchObject({ status: 'OPEN', tries: 0 });
});

it('ends what a dead worker of this host held, whichever run it was at, and marks it as gone', async () => {
  await using rig = await createRig();
  const dead = {
    id: 'dead',
    name: 'dead',
    host: hostname(),
    pid: 1,
    pidStarted: 'another boot',
    bootId: ownSpace(),
  };
  await rig.store.workers.register({ ...dead, capacity: 1, labels: [], version: '0.0.0', runId: null });
  const { run } = await rig.submit(plan('left'));
  await claimFor(rig, { workerId: 'dead', runId: run.id });
  const other = await rig.submit(plan('other'));
  await rig.worker({ runId: other.run.id });
  await isGivenBack(rig, run.id);
  const statusOf = async () => (await rig.store.workers.list()).find(({ id }) => id === 'dead')?.status;
  await until(async () => (await statusOf()) === 'offline', { what: 'the dead worker is offline' });
});
