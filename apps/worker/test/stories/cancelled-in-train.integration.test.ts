import path from 'node:path';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';
import { asked, green, landsLater, statuses, writing } from '../helpers/trains.ts';

const by = { actor: 'operator:me', reason: 'not wanted any more' };

/** A gate that waits, the first time that it is asked about a candidate, until it is let go. */
function waiting(rig: Rig) {
  const at = (name: string) => path.join(rig.stateDir, name);
  const script = `echo asked >> '${at('asked')}'; test -f t0.txt -o -f t1.txt || exit 0
    test -f '${at('go')}' || touch '${at('verifying')}'; while ! test -f '${at('go')}'; do sleep 0.05; done; ! grep -q red *.txt`;
  return {
    gates: [{ name: 'tests', command: ['sh', '-c', script] }],
    isVerifying: () =>
      until(() => existsSync(at('verifying')) || undefined, { what: 'the gate runs', timeoutMs: 30_000 }),
    go: () => writeFile(at('go'), ''),
  };
}

const notes = async (rig: Rig, taskId: string) =>
  (await rig.store.tasks.history({ machine: 'task', entityId: taskId }))
    .filter(({ kind }) => kind === 'refused')
    .map(({ reason }) => reason);

it('lands a train without the task that was cancelled while its gates ran, and says so in the histories', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { gates, isVerifying, go } = waiting(rig);
  const { run } = await rig.submit(writing(green(4), { gates }));
  const worker = await landsLater(rig, { runId: run.id, done: 4 });
  await isVerifying();
  const tasks = await rig.tasks(run.id);
  await rig.store.tasks.cancel(tasks.get('t1')?.id ?? '', by);
  await go();
  await rig.settled(run.id, ['done', 'failed', 'cancelled']);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', t1: 'FAILED', t2: 'CLOSED', t3: 'CLOSED' });
  expect(await rig.repo.git('ls-tree', '--name-only', run.target)).toBe('readme.txt\nt0.txt\nt2.txt\nt3.txt');
  // The base, the train with it, and the train without it.
  expect(await asked(rig)).toBe(3);
  expect(await notes(rig, tasks.get('t1')?.id ?? '')).toEqual([expect.stringContaining('cancelled')]);
  expect(await notes(rig, tasks.get('t2')?.id ?? '')).toEqual([expect.stringContaining('without t1')]);
  await worker.stop();
});

it(
  'takes what waits next when a task that lands alone is cancelled while its gates run',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const { gates, isVerifying, go } = waiting(rig);
    const { run } = await rig.submit(writing(green(1), { gates }));
    const worker = await landsLater(rig, { runId: run.id, done: 1 });
    await isVerifying();
    const id = (await rig.tasks(run.id)).get('t0')?.id ?? '';
    await rig.store.tasks.cancel(id, by);
    await go();
    await until(async () => (await notes(rig, id)).length > 0 || undefined, {
      what: 'the note',
      timeoutMs: 20_000,
    });
    expect(await statuses(rig, run.id)).toEqual({ t0: 'FAILED' });
    expect(await rig.store.tasks.landings({ runId: run.id })).toEqual([]);
    await worker.stop();
  },
);

it('lands nothing of a train whose run was cancelled while its gates ran', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { gates, isVerifying, go } = waiting(rig);
  const { run } = await rig.submit(writing(green(3), { gates }));
  const worker = await landsLater(rig, { runId: run.id, done: 3 });
  await isVerifying();
  await rig.store.runs.cancel(run.id, by);
  await go();
  const first = [...(await rig.tasks(run.id)).values()][0]?.id ?? '';
  await until(async () => (await notes(rig, first)).length > 0 || undefined, {
    what: 'the note',
    timeoutMs: 20_000,
  });
  expect(await rig.store.tasks.landings({ runId: run.id })).toEqual([]);
  await worker.stop();
});
