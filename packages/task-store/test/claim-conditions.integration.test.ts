import type { TaskDraft } from '@baton/contracts';
import { expect, it } from 'vitest';
import type { Claim } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { setClaims } from './support/sets.ts';

const held = testStore();
const claimInSet = setClaims(held);
const capabilities = { host: 'here', labels: ['fast'], roles: ['backend'] };
const keysOf = (claims: (Claim | null)[]) =>
  claims.flatMap((claim) => claim?.tasks.map(({ task }) => task.key) ?? []);

/** Every way to ask for work, of one run or of any. */
const ways: [string, (count: number, runId?: string) => Promise<(Claim | null)[]>][] = [
  ['one by one', (count, runId) => times(count, () => held.store.claims.claimBatch(asking(runId)))],
  [
    'as a batch',
    (count, runId) => times(count, () => held.store.claims.claimBatch({ ...asking(runId), maxTasks: 2 })),
  ],
  ['as a set', (count, runId) => claimInSet(asking(runId), count)],
];
const asking = (runId?: string) => request({ capabilities, ...(runId && { runId }) });
const times = async <T>(count: number, act: () => Promise<T>): Promise<T[]> => {
  const done: T[] = [];
  for (let n = 0; n < count; n++) done.push(await act());
  return done;
};

it('passes over all that its worker may not take, whichever way it asks', async () => {
  const repo = { location: '/conditions', host: 'here' };
  const owner = await held.flow.open([draft('owner', { files: ['src'], scope: 'large' })], { repo });
  await held.flow.claim(owner.runId);
  const first = { priority: 0 };
  const far = await held.flow.open([draft('far', first)], { repo: { ...repo, host: 'elsewhere' } });
  const paused = await held.flow.open([draft('paused', first)], { repo });
  await held.store.runs.pause(paused.runId, by);
  const { runId, tasks } = await held.flow.open(
    [
      draft('labels', { ...first, labels: ['fast', 'gpu'] }),
      draft('role', { ...first, role: 'frontend' }),
      draft('later', { ...first, notBefore: '2100-01-01T00:00:00Z' }),
      draft('cancelled', first),
      draft('paths', { ...first, files: ['src/a.ts'] }),
      draft('dependent', { ...first, dependsOn: ['paths'] }),
      draft('plain', { scope: 'large', labels: ['fast'] }),
    ],
    { repo },
  );
  await held.sql(`UPDATE task SET cancel_requested = true WHERE run_id = $1 AND key = 'cancelled'`, [runId]);
  for (const [way, ask] of ways) {
    for (const among of [runId, undefined]) {
      const claims = await ask(2, among);
      expect([way, among, keysOf(claims)]).toEqual([way, among, ['plain']]);
      for (const claim of claims)
        if (claim) await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'not now' });
    }
    for (const other of [far, paused]) expect(keysOf(await ask(2, other.runId))).toEqual([]);
  }
  const { maxTasks: _, ...rest } = request({ capabilities });
  for (const { id, key } of [...tasks, ...far.tasks, ...paused.tasks].filter(({ key }) => key !== 'plain'))
    expect([key, keysOf([await held.store.claims.claimTask(id, rest)])]).toEqual([key, []]);
  for (const each of [runId, far.runId, paused.runId, owner.runId]) await held.store.runs.cancel(each, by);
});

it('passes over a run whose places are all taken, whichever way it asks', async () => {
  for (const [way, ask] of ways) {
    const full = await held.flow.open([draft('a'), draft('b', { priority: 0 })], {
      maxAgents: 1,
      batchSize: 1,
    });
    const { runId } = await held.flow.open([draft('c')]);
    await held.flow.claim(full.runId);
    const claims = await ask(2);
    expect([way, keysOf(claims)]).toEqual([way, ['c']]);
    expect(await held.store.audit.counts(full.runId)).toMatchObject({ ready: 1 });
    for (const each of [runId, full.runId]) await held.store.runs.cancel(each, by);
  }
});

it('takes the first by rank and then by age, whichever way it asks', async () => {
  for (const [way, ask] of ways) {
    const { runId } = await held.flow.open([
      draft('late', { priority: 4, scope: 'large' }),
      draft('old', { scope: 'large' }),
      draft('new', { scope: 'large' }),
      draft('early', { priority: 1, scope: 'large' }),
    ]);
    expect([way, keysOf(await ask(3, runId))]).toEqual([way, ['early', 'old', 'new']]);
    await held.store.runs.cancel(runId, by);
  }
});

it('puts into a batch only what is alike in all that an agent is given, in the order of rank', async () => {
  const like = { agent: 'codex', model: 'gpt-6-sol', effort: 'high', priority: 1 } as const;
  const alike: Partial<TaskDraft> = { ...like, labels: ['fast'] };
  const { runId } = await held.flow.open(
    [
      draft('head', { ...alike, priority: 0 }),
      draft('third', { ...alike, priority: 4 }),
      draft('labels', { ...alike, labels: [] }),
      draft('role', { ...alike, role: 'frontend' }),
      draft('agent', { ...alike, agent: 'claude' }),
      draft('model', { ...alike, model: 'gpt-6-luna' }),
      draft('effort', { ...alike, effort: 'low' }),
      draft('trust', { ...alike, source: { kind: 'trigger', by: 'rule', trusted: false } }),
      draft('scope', { ...alike, scope: 'large' }),
      draft('continued', alike),
      draft('cancelled', alike),
      draft('later', { ...alike, notBefore: '2100-01-01T00:00:00Z' }),
      draft('second', { ...alike, priority: 3 }),
    ],
    { batchSize: 3 },
  );
  await held.sql(
    `UPDATE task SET cancel_requested = key = 'cancelled', continue_from = CASE key WHEN 'continued' THEN '{"ref":"r"}'::jsonb END WHERE run_id = $1`,
    [runId],
  );
  const able = { host: 'here', labels: ['fast'] };
  const batch = await held.store.claims.claimBatch(request({ runId, maxTasks: 3, capabilities: able }));
  expect(keysOf([batch])).toEqual(['head', 'second', 'third']);
  await held.store.runs.cancel(runId, by);
});

it('gives the next try what the newest left behind, all reasons in order, and each predecessor by its last try', async () => {
  const { runId } = await held.flow.open(
    [
      draft('one'),
      draft('two', { priority: 1 }),
      draft('zero', { priority: 3 }),
      draft('after', { dependsOn: ['zero', 'two', 'one'] }),
    ],
    { batchSize: 1 },
  );
  const rejected = async (reason: string) => {
    await held.flow.finish(runId);
    const work = await held.flow.take(runId);
    const mine = { attemptId: work.attempt.id, fence: work.attempt.fence };
    await held.flow.tell({ fact: 'rejected', holding: mine, kind: 'rejected', reasons: [reason] });
  };
  await rejected('first reason');
  for (const salvageRef of ['refs/baton/salvage/old', 'refs/baton/salvage/new']) {
    const claim = await held.flow.claim(runId);
    await held.flow.launch(claim);
    await held.flow.ready(claim);
    await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'stopped', salvageRef });
    await held.flow.over(claim);
  }
  await rejected('second reason');
  const last = await held.flow.claim(runId);
  expect(last.tasks[0]).toMatchObject({
    task: { key: 'two' },
    attempt: { number: 5 },
    rejections: ['first reason', 'second reason'],
    salvageRef: 'refs/baton/salvage/new',
  });
  await held.flow.launch(last);
  await held.flow.ready(last);
  const range = { baseCommit: 'b'.repeat(40), startCommit: 'b'.repeat(40), headCommit: 'c'.repeat(40) };
  await held.flow.tell({ fact: 'done', holding: holding(last), ...range, summary: 'the last try' });
  await held.flow.over(last);
  for (let n = 0; n < 2; n++) await held.flow.finish(runId);
  await held.flow.landAll(runId);
  const after = await held.flow.claim(runId);
  expect(after.tasks[0]?.predecessors).toMatchObject([
    { key: 'one', summary: 'did it', landedCommit: 'c'.repeat(40) },
    { key: 'two', summary: 'the last try', landedCommit: 'c'.repeat(40) },
    { key: 'zero' },
  ]);
});

it('takes no task whose status is another one, whatever else says that it may be taken', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.sql('UPDATE task SET claimable = true WHERE run_id = $1', [runId]);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  expect(await held.store.claims.claimTask(claim.tasks[0]?.task.id ?? '', request({ runId }))).toBeNull();
});
