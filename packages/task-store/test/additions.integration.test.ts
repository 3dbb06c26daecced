import { expect, it } from 'vitest';
import type { Task } from '../src/index.ts';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'operator:test', reason: 'added' };
const stored = async ({ id }: Task) => {
  const { continueFrom: _, ...task } = (await held.store.getTask(id)) as Task & { continueFrom: unknown };
  return task;
};

it('answers an addition with the very tasks that are stored', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const untrusted = { ...draft('u').source, trusted: false };
  const drafts = [
    draft('plain'),
    draft('later', { notBefore: '2100-01-01T00:00:00.000Z', priority: 0, files: ['src'], labels: ['gpu'] }),
    draft('due', {
      notBefore: '2020-01-01T00:00:00.000Z',
      maxAttempts: 3,
      timeoutMs: 1000,
      maxCostMicroUsd: 5,
    }),
    draft('unsure', { source: untrusted }),
  ];
  const added = await held.store.addTasks(runId, { ...by, drafts, planned: false });
  expect(added.map(({ key, status, claimable }) => `${key} ${status} ${claimable}`)).toEqual([
    'plain OPEN true',
    'later OPEN false',
    'due OPEN true',
    'unsure PLANNED false',
  ]);
  for (const task of added) expect(await stored(task)).toEqual(task);
  const [planned] = await held.store.addTasks(runId, { ...by, drafts: [draft('p')], planned: true });
  expect(planned).toMatchObject({ status: 'PLANNED', claimable: false });
  await held.store.pauseRun(runId, by);
  const [paused] = await held.store.addTasks(runId, { ...by, drafts: [draft('q')], planned: false });
  if (paused === undefined) throw new Error('one was added');
  expect(paused.claimable).toBe(false);
  expect(await stored(paused)).toEqual(paused);
});

it('additions of one moment go together, and each is answered with its own tasks', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const lists = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      held.store.addTasks(runId, { ...by, drafts: [draft(`a${at}`), draft(`b${at}`)], planned: false }),
    ),
  );
  for (const [at, tasks] of lists.entries()) {
    expect(tasks.map(({ key }) => key)).toEqual([`a${at}`, `b${at}`]);
    for (const task of tasks) expect(await stored(task)).toEqual(task);
  }
  expect(await held.store.verifyAudit()).toMatchObject({ broken: [] });
});

it('an addition that the run has already is refused alone, whoever adds beside it', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const added = await Promise.allSettled(
    ['a', 'b', 'there', 'c', 'd'].map((key) =>
      held.store.addTasks(runId, { ...by, drafts: [draft(key)], planned: false }),
    ),
  );
  expect(
    added.map((one) => (one.status === 'fulfilled' ? 'added' : (one.reason as { code: string }).code)),
  ).toEqual(['added', 'added', 'CONFLICT', 'added', 'added']);
});

it('an addition is told when its own tasks were made, not those before it in the set', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const add = (drafts: ReturnType<typeof draft>[]) =>
    held.store.addTasks(runId, { ...by, drafts, planned: false });
  // Tasks of one set are a microsecond apart, and what is told is in milliseconds.
  const [, after] = await Promise.all([
    add(Array.from({ length: 1000 }, (_, at) => draft(`before${at}`))),
    add([draft('after')]),
  ]);
  const [task] = after;
  if (task === undefined) throw new Error('one was added');
  expect(await stored(task)).toEqual(task);
});
