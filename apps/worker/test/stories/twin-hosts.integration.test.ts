import { systemIds } from '@baton/service/system';
import { ownSpace } from '@baton/spawner';
import { inParts, until } from '@baton/testkit';
import type { Claim } from '@baton/task-store';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const works = { agent: scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }) };
const plan = (name: string) => ({
  name,
  budget: { usd: 5 },
  stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', ...works }] }],
});
const here = hostname().replace(/\s+/g, '_');
const otherBoot = '00000000-1111-4222-8333-444444444444';

/** A worker of a process that this machine has not, with a task of its own under way. */
async function workerElsewhere(
  rig: Rig,
  bootId: string,
): Promise<{ id: string; runId: string; claim: Claim }> {
  const id = systemIds.uuid();
  const process = { pid: 1, pidStarted: 'not of this machine', bootId };
  const place = { host: hostname(), capacity: 1, labels: [], version: '0.0.0', runId: null };
  await rig.store.workers.register({ id, name: `${hostname()}-1`, ...process, ...place });
  const { run } = await rig.submit(plan('elsewhere'));
  const claim = await rig.store.claims.claimBatch({
    ...{ workerId: id, runId: run.id, maxTasks: 1, leaseMs: 120_000 },
    capabilities: { host: hostname(), labels: [] },
  });
  return { id, runId: run.id, claim: claim ?? expect.fail('nothing to claim') };
}

for (const [cases, tagged] of inParts(1, [
  ['another machine', `${here} ${otherBoot} 4026531836 0123456789ab`],
  ['a copy of this machine', ownSpace().replace(/^(\S+) \S+/, `$1 ${otherBoot}`)],
  ['a container', `${here} ${otherBoot} 4026999999 -`],
  ['a worker of an older version', 'a1b2c3d4-5678'],
]))
  it.each(cases)(
    'leaves the work of %s with the same host name to it, and its money reserved',
    tagged,
    async (_, bootId) => {
      await using rig = await createRig();
      const twin = await workerElsewhere(rig, bootId);
      const own = await rig.submit(plan('own'));
      await rig.worker({ runId: own.run.id });
      await rig.settled(own.run.id);
      // A later look than that by which its own run was settled.
      const gone = { id: 'gone', name: 'gone', host: hostname(), capacity: 1, labels: [], runId: null };
      const process = { pid: 1, pidStarted: 'gone', bootId: ownSpace(), version: '0.0.0' };
      await rig.store.workers.register({ ...gone, ...process });
      const workers = async () =>
        new Map((await rig.store.workers.list()).map((each) => [each.id, each.status]));
      await until(async () => (await workers()).get('gone') === 'offline', {
        what: 'the dead one is found',
        timeoutMs: 10_000,
      });
      expect((await workers()).get(twin.id)).toBe('online');
      expect((await rig.tasks(twin.runId)).get('job')).toMatchObject({ status: 'CLAIMED' });
      expect(await rig.store.tasks.sessions({ runId: twin.runId, live: true })).toHaveLength(1);
      expect((await rig.store.runs.get(twin.runId))?.reservedMicroUsd).toBe(1_000_000);
    },
  );
