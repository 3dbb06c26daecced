import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import type { Worker } from '../../src/index.ts';
import { createRig, type Rig } from '../helpers/rig.ts';

const by = { actor: 'operator:test', reason: 'a story' };

/** A plan of two tasks; the agent of each waits for the gate to be opened. */
function gated(folder: string) {
  const agent = (name: string) => ({
    command: [
      'bash',
      '-c',
      `cat >/dev/null; touch ${folder}/began-${name}; until [ -e ${folder}/open ]; do sleep 0.05; done; echo x > ${name}.txt`,
    ],
  });
  return {
    name: 'drain',
    batch_size: 1,
    agents: { a: agent('a'), b: agent('b') },
    stages: [
      {
        name: 's',
        steps: [
          { key: 'a', title: 'a', agent: 'a' },
          { key: 'b', title: 'b', agent: 'b' },
        ],
      },
    ],
  };
}

async function begun(rig: Rig, folder: string) {
  const { run, tasks } = await rig.submit(gated(folder));
  const worker = await rig.worker({ capacity: 1, timing: { heartbeatMs: 100 } });
  await until(() => existsSync(path.join(folder, 'began-a')), { what: 'the first agent works' });
  const status = async () => (await rig.store.workers.list()).find(({ id }) => id === worker.id)?.status;
  return { run, worker, status, second: tasks[1]?.id ?? '' };
}

it('says at once that it drains, lets its agent finish, lands what it made, and leaves the rest', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const { run, worker, status, second } = await begun(rig, folder.path);
  const drained = worker.drain({ deadlineMs: 60_000 });
  await until(async () => (await status()) === 'draining' || undefined, { what: 'its row says draining' });
  expect((await rig.store.tasks.explain(second)).cause).toBe('workers_draining');
  await writeFile(path.join(folder.path, 'open'), '');
  await drained;
  expect(await status()).toBe('offline');
  const tasks = await rig.tasks(run.id);
  expect([tasks.get('a')?.status, tasks.get('b')?.status]).toEqual(['CLOSED', 'OPEN']);
  expect(await rig.store.tasks.attempts(second)).toEqual([]);
  expect(worker.left()).toEqual([]);
});

it('lands what was finished while upkeep is about to land it, too', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  // The drain sees finished work waiting, upkeep takes it, and only then the drain comes to the lane.
  const taken = Promise.withResolvers<void>();
  let [looks, lanes] = [0, 0];
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async open(asked) {
        const open = await rig.store.lanes.open(asked);
        if (open.length > 0) looks += 1;
        return open;
      },
      async acquire(asked) {
        if ((lanes += 1) > 1) await taken.promise;
        return rig.store.lanes.acquire(asked);
      },
      async takeForLanding(lane, options) {
        await until(() => looks > 1, { what: 'the drain looks', timeoutMs: 3_000 }).catch(() => undefined);
        const work = await rig.store.lanes.takeForLanding(lane, options);
        taken.resolve();
        return work;
      },
    },
  };
  const slow = { name: 'slow', command: ['sleep', '1.5'] };
  const { run } = await rig.submit({ ...gated(folder.path), gates: [slow] });
  const worker = await rig.worker({ capacity: 1, store });
  await until(() => existsSync(path.join(folder.path, 'began-a')), { what: 'the first agent works' });
  const drained = worker.drain({ deadlineMs: 60_000 });
  await writeFile(path.join(folder.path, 'open'), '');
  await drained;
  expect((await rig.tasks(run.id)).get('a')?.status).toBe('CLOSED');
  expect(lanes, 'nobody takes the lane from whoever judges').toBe(1);
});

it('is reached by a drain in the store, and claims nothing from that moment on', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const { worker, second } = await begun(rig, folder.path);
  await rig.store.workers.setStatus(worker.id, 'draining', by);
  await writeFile(path.join(folder.path, 'open'), '');
  await worker.asked;
  await worker.drain({ deadlineMs: 60_000 });
  expect(await rig.store.tasks.attempts(second)).toEqual([]);
});

it('stops at once in the middle of a drain, and says what it gave back', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const { run, worker, status } = await begun(rig, folder.path);
  const drained = worker.drain({ deadlineMs: 600_000 });
  await worker.stop();
  await drained;
  expect(await status()).toBe('offline');
  expect(worker.left()).toEqual([`${run.slug}/a`]);
  expect((await rig.tasks(run.id)).get('a')?.status).toBe('OPEN');
});

it('stops its agents when the deadline of a drain is over', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const { run, worker } = await begun(rig, folder.path);
  await worker.drain({ deadlineMs: 100 });
  expect((await rig.tasks(run.id)).get('a')?.status).toBe('OPEN');
  expect(worker.left()).toEqual([`${run.slug}/a`]);
});

it.each([
  ['stopped', (worker: Worker) => worker.stop()],
  ['drained', (worker: Worker) => worker.drain({ deadlineMs: 60_000 })],
])('does nothing any more when it is %s while it is still starting', async (_how, end) => {
  await using rig = await createRig();
  const worker = await rig.worker({ started: false, timing: { heartbeatMs: 50 } });
  const starting = worker.start();
  await end(worker);
  await starting;
  const rowOf = async ({ id }: Worker) => (await rig.store.workers.list()).find((row) => row.id === id);
  const ended = await rowOf(worker);
  expect(ended).toMatchObject({ status: 'offline' });
  // As long as another one lives a while: an upkeep that nobody ended would say that this one lives, too.
  const other = await rig.worker({ timing: { heartbeatMs: 50 } });
  const beats = new Set<number>();
  await until(
    async () => {
      beats.add((await rowOf(other))?.heartbeatAt.getTime() ?? 0);
      return beats.size > 4 || undefined;
    },
    { what: 'another worker has said four times that it lives' },
  );
  expect(await rowOf(worker)).toEqual({ ...ended, silentMs: expect.any(Number) });
});
