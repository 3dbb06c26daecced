import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const keysOf = (claim: { tasks: { task: { key: string } }[] } | null) =>
  claim?.tasks.map(({ task }) => task.key) ?? null;

it('claims by rank: the lower priority number first, and 0 before everything', async () => {
  const { runId } = await held.flow.open(
    [
      draft('low', { priority: 5 }),
      draft('usual'),
      draft('jump', { priority: 0 }),
      draft('high', { priority: 1 }),
    ],
    { batchSize: 1 },
  );
  const order = [];
  for (let n = 0; n < 4; n++)
    order.push(keysOf(await held.store.claims.claimBatch(request({ runId, maxTasks: 3 })))?.[0]);
  expect(order).toEqual(['jump', 'high', 'usual', 'low']);
});

it('gives the tasks of a batch in the order of their rank, whatever the order they were made in', async () => {
  const { runId } = await held.flow.open(
    [
      ...Array.from({ length: 9 }, (_, n) => draft(`last-${n}`, { priority: 5 })),
      ...[draft('third'), draft('second', { priority: 1 }), draft('first', { priority: 0 })],
    ],
    { batchSize: 3 },
  );
  expect(keysOf(await held.flow.claim(runId, 3))).toEqual(['first', 'second', 'third']);
});

it('lets a task join the batch that holds all it waits for, and puts it after them', async () => {
  const { runId } = await held.flow.open([draft('implement'), draft('prove', { dependsOn: ['implement'] })]);
  const claim = await held.flow.claim(runId, 3);
  expect(keysOf(claim)).toEqual(['implement', 'prove']);
  expect(claim.tasks[1]?.task.status).toBe('CLAIMED');
});

it('gives a large task an agent of its own, and never more than the batch size', async () => {
  const { runId } = await held.flow.open(
    [draft('huge', { scope: 'xl' }), draft('a'), draft('b'), draft('c')],
    { batchSize: 2 },
  );
  expect(keysOf(await held.flow.claim(runId, 3))).toEqual(['huge']);
  expect(keysOf(await held.flow.claim(runId, 3))).toEqual(['a', 'b']);
});

it('refuses a batch of more than three', async () => {
  await expect(held.store.claims.claimBatch(request({ maxTasks: 4 }))).rejects.toSatisfy((error) =>
    BatonError.is(error, 'INVALID_INPUT'),
  );
});

it('does not claim what waits, what is planned, or what another host holds', async () => {
  const { runId } = await held.flow.open([
    draft('first', { scope: 'large' }),
    draft('later', { scope: 'large', dependsOn: ['first'] }),
  ]);
  expect(
    await held.store.claims.claimBatch(request({ runId, capabilities: { host: 'elsewhere', labels: [] } })),
  ).toBeNull();
  expect(keysOf(await held.flow.claim(runId))).toEqual(['first']);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  const { run } = await held.store.runs.create(runDraft([draft('planned')]), by);
  expect(await held.store.claims.claimBatch(request({ runId: run.id }))).toBeNull();
});

it('matches labels and roles of the worker', async () => {
  const { runId } = await held.flow.open([
    draft('gpu', { labels: ['gpu'] }),
    draft('docs', { role: 'docs' }),
  ]);
  const only = (capabilities: { labels: string[]; roles?: string[] }) =>
    held.store.claims.claimBatch(request({ runId, capabilities: { host: 'here', ...capabilities } }));
  expect(keysOf(await only({ labels: [], roles: ['docs'] }))).toEqual(['docs']);
  expect(keysOf(await only({ labels: [] }))).toBeNull();
  expect(keysOf(await only({ labels: ['gpu', 'fast'] }))).toEqual(['gpu']);
});

it('never lets two batches own overlapping paths, and frees them when the last task has left', async () => {
  const { runId } = await held.flow.open(
    [
      draft('all', { files: ['src'], scope: 'large' }),
      draft('one', { files: ['src/a.ts'], scope: 'large' }),
      draft('near', { files: ['src2/a.ts'], scope: 'large' }),
    ],
    { repo: { location: '/paths', host: 'here' } },
  );
  const owner = await held.flow.claim(runId);
  expect(keysOf(owner)).toEqual(['all']);
  expect(keysOf(await held.flow.claim(runId))).toEqual(['near']);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  const blocked = await held.store.tasks.find('one', { runId });
  expect(await held.store.claims.claimTask(blocked.id, request())).toBeNull();
  expect(await held.store.tasks.explain(blocked.id)).toMatchObject({ cause: 'path_lock' });
  await held.flow.tell({ fact: 'released', holding: holding(owner), reason: 'handed back' });
  const [first, second] = [
    await held.flow.claim(runId),
    await held.store.claims.claimBatch(request({ runId })),
  ];
  expect([keysOf(first), second]).toEqual([['all'], null]);
});

it('keeps at most max_agents sessions of a run alive, and hands the place on when one ends', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b'), draft('c')], {
    maxAgents: 2,
    batchSize: 1,
  });
  const first = await held.flow.claim(runId);
  await held.flow.claim(runId);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  const waiting = await held.store.tasks.find('c', { runId });
  expect(await held.store.tasks.explain(waiting.id)).toMatchObject({ cause: 'run_limit' });
  await held.flow.tell({
    fact: 'setup_failed',
    holding: holding(first),
    reason: 'no disk',
    retry: false,
    counted: false,
  });
  expect(keysOf(await held.flow.claim(runId))).toEqual(['c']);
});

it('claims nothing of a paused run, and everything again after', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  expect((await held.store.runs.pause(runId, by)).status).toBe('paused');
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({
    cause: 'run_paused',
    owner: 'a person',
  });
  expect((await held.store.runs.resume(runId, by)).status).toBe('running');
  expect(keysOf(await held.flow.claim(runId))).toEqual(['a']);
});

it('reserves what a task may cost, and lets nothing begin that has no room', async () => {
  const { runId } = await held.flow.open(
    [draft('a', { maxCostMicroUsd: 600 }), draft('b', { maxCostMicroUsd: 600 })],
    { budgetMicroUsd: 1000, batchSize: 1 },
  );
  const claim = await held.flow.claim(runId);
  expect(claim.run).toMatchObject({ budgetMicroUsd: 1000, reservedMicroUsd: 600, spentMicroUsd: 0 });
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  const short = await held.store.tasks.find('b', { runId });
  expect(await held.store.tasks.explain(short.id)).toMatchObject({ cause: 'budget' });
  await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'not now' });
  expect(await held.store.runs.get(runId)).toMatchObject({ reservedMicroUsd: 0 });
});

it('hands 200 tasks to eight claimers, none twice and none lost', async () => {
  const { runId } = await held.flow.open(
    Array.from({ length: 200 }, (_, n) => draft(`t${n}`)),
    { batchSize: 3 },
  );
  const claimed: string[] = [];
  const claimer = async (workerId: string, maxTasks: number) => {
    for (;;) {
      const claim = await held.store.claims.claimBatch(request({ runId, workerId, maxTasks }));
      if (claim === null) return;
      claimed.push(...claim.tasks.map(({ task }) => task.id));
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => claimer(`w${n}`, (n % 3) + 1)));
  expect(claimed).toHaveLength(200);
  expect(new Set(claimed).size).toBe(200);
  expect((await held.store.audit.counts(runId))['CLAIMED']).toBe(200);
});

it('lets only one of many racing claimers onto the same paths, and all of them in the end', async () => {
  const { runId } = await held.flow.open(
    Array.from({ length: 6 }, (_, n) => draft(`race${n}`, { files: ['race/'], scope: 'large' })),
    { repo: { location: '/race', host: 'here' } },
  );
  const seen: (string | undefined)[] = [];
  for (let round = 0; round < 6; round++) {
    const claims = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        held.store.claims.claimBatch(request({ runId, workerId: `r${n}`, maxTasks: (n % 2) + 1 })),
      ),
    );
    const won = claims.filter((claim) => claim !== null);
    expect(won).toHaveLength(1);
    const [claim] = won;
    seen.push(claim?.tasks[0]?.task.key);
    if (claim !== undefined)
      await held.flow.tell({ fact: 'cancelled', holding: holding(claim), reason: 'next' });
  }
  expect(new Set(seen).size).toBe(6);
});
