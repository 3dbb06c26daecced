import { expect, it } from 'vitest';
import type { Task } from '../src/index.ts';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'operator:test', reason: 'added' };
const stored = async ({ id }: Task) => {
  const { continueFrom: _, ...task } = (await held.store.tasks.get(id)) as Task & { continueFrom: unknown };
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
  const added = await held.store.tasks.add(runId, { ...by, drafts, planned: false });
  expect(added.map(({ key, status, claimable }) => `${key} ${status} ${claimable}`)).toEqual([
    'plain OPEN true',
    'later OPEN false',
    'due OPEN true',
    'unsure PLANNED false',
  ]);
  for (const task of added) expect(await stored(task)).toEqual(task);
  const [planned] = await held.store.tasks.add(runId, { ...by, drafts: [draft('p')], planned: true });
  expect(planned).toMatchObject({ status: 'PLANNED', claimable: false });
  await held.store.runs.pause(runId, by);
  const [paused] = await held.store.tasks.add(runId, { ...by, drafts: [draft('q')], planned: false });
  if (paused === undefined) throw new Error('one was added');
  expect(paused.claimable).toBe(false);
  expect(await stored(paused)).toEqual(paused);
});

it('additions of one moment go together, and each is answered with its own tasks', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const lists = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      held.store.tasks.add(runId, { ...by, drafts: [draft(`a${at}`), draft(`b${at}`)], planned: false }),
    ),
  );
  for (const [at, tasks] of lists.entries()) {
    expect(tasks.map(({ key }) => key)).toEqual([`a${at}`, `b${at}`]);
    for (const task of tasks) expect(await stored(task)).toEqual(task);
  }
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('an addition that the run has already is refused alone, whatever is added beside it', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const added = await Promise.allSettled(
    ['a', 'b', 'there', 'c', 'd'].map((key) =>
      held.store.tasks.add(runId, { ...by, drafts: [draft(key)], planned: false }),
    ),
  );
  expect(
    added.map((one) => (one.status === 'fulfilled' ? 'added' : (one.reason as { code: string }).code)),
  ).toEqual(['added', 'added', 'CONFLICT', 'added', 'added']);
});

it('an addition returns when its own tasks were made, not those before it in the set', async () => {
  const { runId } = await held.flow.open([draft('there')]);
  const add = (name: string) => {
    const drafts = Array.from({ length: 64 }, (_, at) => draft(`${name}-${at}`));
    return held.store.tasks.add(runId, { ...by, drafts, planned: false });
  };
  await add('first');
  // Tasks of one set are a microsecond apart, and what is told is in milliseconds: it takes more than a thousand to tell.
  const lists = await Promise.all(Array.from({ length: 36 }, (_, at) => add(`a${at}`)));
  const rows = await held.sql('SELECT id, created_at FROM task WHERE run_id = $1', [runId]);
  const storedAt = new Map(rows.map((row) => [row['id'], (row['created_at'] as Date).toISOString()]));
  const tasks = lists.flat();
  expect(tasks.map(({ createdAt }) => createdAt.toISOString())).toEqual(
    tasks.map(({ id }) => storedAt.get(id)),
  );
});

it('additions of one moment by several people, to several runs, each keep their name and the state of their run', async () => {
  const [open, paused] = [await held.flow.open([draft('there')]), await held.flow.open([draft('there')])];
  await held.store.runs.pause(paused.runId, by);
  const add = async (runId: string, { key, actor }: { key: string; actor: string }) => {
    const drafts = [draft(key)];
    const [task] = await held.store.tasks.add(runId, { actor, reason: 'added', drafts, planned: false });
    const [created] = await held.store.tasks.history({ entityId: task?.id ?? '', machine: 'task' });
    return [task?.runId, task?.claimable, created?.actor];
  };
  const people = Array.from({ length: 6 }, (_, at) => `operator:${at % 3}`);
  for (const round of ['a', 'b'])
    expect(
      await Promise.all(
        people.flatMap((actor, at) => [
          add(open.runId, { key: `${round}${at}`, actor }),
          add(paused.runId, { key: `${round}${at}`, actor }),
        ]),
      ),
    ).toEqual(
      people.flatMap((actor) => [
        [open.runId, true, actor],
        [paused.runId, false, actor],
      ]),
    );
});
