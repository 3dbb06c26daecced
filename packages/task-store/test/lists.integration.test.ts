import { BatonError } from '@baton/contracts';
import { expect, it } from 'vitest';
import type { Page, Task } from '../src/index.ts';
import { by, draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
type Filter = Parameters<typeof held.store.tasks.list>[0];

/** All keys, page by page, with something happening between the pages. */
async function paged(
  filter: Filter,
  between: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Task> = await held.store.tasks.list({ ...filter, limit: 3, ...(cursor && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(3);
    keys.push(...page.items.map(({ key }) => key));
    cursor = page.nextCursor ?? undefined;
    await between();
  } while (cursor !== undefined);
  return keys;
}

it('gives every task that is there exactly once, in order, while others are added and moved', async () => {
  const { runId } = await held.flow.open(Array.from({ length: 10 }, (_, n) => draft(`t${n}`)));
  let added = 0;
  const keys = await paged({ runId }, async () => {
    if (added++ < 3)
      await held.store.tasks.add(runId, { ...by, drafts: [draft(`new${added}`)], planned: false });
    await held.flow.claim(runId);
  });
  expect(keys.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `t${n}`));
  expect(keys.slice(10)).toEqual(['new1', 'new2', 'new3']);
});

it('filters by run, state, role, label, whether it is settled, and part of its name', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('api', { role: 'backend', labels: ['gpu', 'big'], title: 'Serve 100%_of it' }),
    draft('page', { role: 'frontend', labels: ['gpu'] }),
    draft('docs', { role: 'docs' }),
  ]);
  await held.store.tasks.cancel(tasks[2]?.id ?? '', by);
  expect(await paged({ runId, role: 'frontend' })).toEqual(['page']);
  expect(await paged({ runId, labels: ['gpu'] })).toEqual(['api', 'page']);
  expect(await paged({ runId, labels: ['gpu', 'big'] })).toEqual(['api']);
  expect(await paged({ runId, settled: true })).toEqual(['docs']);
  expect(await paged({ runId, settled: false, status: ['OPEN'] })).toEqual(['api', 'page']);
  expect(await paged({ runId, text: 'PAG' })).toEqual(['page']);
  expect(await paged({ runId, text: '100%_' })).toEqual(['api']);
  expect(await paged({ runId, text: '0_%' })).toEqual([]);
});

it('pages runs newest first, attempts and sessions oldest first', async () => {
  const { runId } = await held.flow.open(Array.from({ length: 5 }, (_, n) => draft(`s${n}`)));
  for (let n = 0; n < 5; n++) await held.flow.claim(runId);
  const attempts = await held.store.tasks.listAttempts({ runId });
  const rest = await held.store.tasks.listAttempts({ runId, after: attempts[1]?.id ?? '', limit: 2 });
  expect(rest.map(({ id }) => id)).toEqual(attempts.slice(2, 4).map(({ id }) => id));
  const sessions = await held.store.tasks.sessions({ runId });
  const later = await held.store.tasks.sessions({ runId, after: sessions[3]?.id ?? '' });
  expect(later.map(({ id }) => id)).toEqual(sessions.slice(4).map(({ id }) => id));
  const all = (await held.store.runs.list({})).items.map(({ id }) => id);
  const first = await held.store.runs.list({ limit: 1 });
  const second = await held.store.runs.list({ limit: 1, cursor: first.nextCursor ?? '' });
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(all.slice(0, 2));
});

/** A run of so many tasks, each of which waits for a person. */
async function waiting(count: number): Promise<string> {
  const { runId } = await held.flow.open(Array.from({ length: count }, (_, n) => draft(`w${n}`)));
  for (let n = 0; n < count; n++) {
    await held.flow.finish(runId);
    const { attempt } = await held.flow.take(runId);
    const question = { reason: 'asked for', headCommit: 'c', patchId: `p${n}` };
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    await held.flow.tell({ fact: 'approval_wanted', holding, ...question });
  }
  return runId;
}

it('pages approvals oldest first, also after one that was decided since', async () => {
  const runId = await waiting(4);
  const list = held.store.approvals.list;
  expect((await list({ runId })).map(({ patchId }) => patchId)).toEqual(['p0', 'p1', 'p2', 'p3']);
  const page = { runId, status: 'waiting', limit: 2 } as const;
  const [, last] = await list(page);
  await held.store.approvals.decide(last?.id ?? '', { ...by, approve: true, nonce: last?.nonce ?? '' });
  const next = await list({ ...page, after: last?.id ?? '' });
  expect(next.map(({ patchId, status }) => [patchId, status])).toEqual([
    ['p2', 'waiting'],
    ['p3', 'waiting'],
  ]);
  expect((await list({ runId, status: 'approved' })).map(({ patchId }) => patchId)).toEqual(['p1']);
});

it('pages deliveries newest first, without what was delivered', async () => {
  for (let n = 0; n < 3; n++) {
    const event = {
      source: 'manual',
      deliveryId: `d${n}`,
      kind: 'test',
      sender: null,
      trusted: true,
      data: { n },
    };
    const receivedAt = new Date(Date.UTC(2026, 0, n + 1)).toISOString();
    await held.store.inbox.accept({ event: { ...event, receivedAt }, matches: [] });
  }
  const [newest, ...rest] = await held.store.inbox.deliveries({ limit: 2 });
  expect(newest).toEqual({
    id: newest?.id,
    source: 'manual',
    deliveryId: 'd2',
    kind: 'test',
    receivedAt: new Date(Date.UTC(2026, 0, 3)),
    taskIds: [],
  });
  expect(rest.map(({ deliveryId }) => deliveryId)).toEqual(['d1']);
  const older = await held.store.inbox.deliveries({ limit: 2, after: rest[0]?.id ?? '' });
  expect(older.map(({ deliveryId }) => deliveryId)).toEqual(['d0']);
});

it('refuses a cursor that no page of this store gave out', async () => {
  const foreign = '01900000-0000-7000-8000-000000000000';
  const refused = (error: unknown) => BatonError.is(error, 'INVALID_INPUT');
  await expect(held.store.tasks.list({ cursor: foreign })).rejects.toSatisfy(refused);
  await expect(held.store.runs.list({ cursor: foreign })).rejects.toSatisfy(refused);
  await expect(held.store.tasks.list({ cursor: 'x' })).rejects.toSatisfy(refused);
});

it('gives the graph of a run: tasks, what each waits for, what is met, and parts', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b', { dependsOn: ['a'] })]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  const claim = await held.flow.claim(runId);
  const [item] = claim.tasks;
  const holding = { attemptId: item?.attempt.id ?? '', fence: item?.attempt.fence ?? 0 };
  await held.flow.tell({ fact: 'decomposed', holding, children: [draft('part')], reason: 'too big' });
  const { nodes, edges } = await held.store.tasks.graph(runId);
  const id = (key: string) => nodes.find((node) => node.key === key)?.id;
  expect(nodes.map(({ key, status, parentId }) => [key, status, parentId])).toEqual([
    ['a', 'CLOSED', null],
    ['b', 'WAITING_FOR_SUBTASKS', null],
    ['part', 'OPEN', id('b')],
  ]);
  expect(edges).toEqual([{ taskId: id('b'), dependsOnId: id('a'), satisfied: true }]);
  await expect(held.store.tasks.graph('01900000-0000-7000-8000-000000000000')).rejects.toSatisfy((error) =>
    BatonError.is(error, 'NOT_FOUND'),
  );
});
