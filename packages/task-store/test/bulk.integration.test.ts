import { expect, it } from 'vitest';
import type { Claim, Progress } from '../src/index.ts';
import { draft, request } from './support/builders.ts';
import { base, head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { setClaims } from './support/sets.ts';

const held = testStore();
const claimInSet = setClaims(held);
const by = { actor: 'worker:w1' };
const many = (runId: string, count: number) => claimInSet(request({ runId }), count);
const recordTogether = (reports: readonly [Progress, ...Progress[]][]) =>
  Promise.all(reports.map((facts) => held.store.claims.recordAll(facts, by)));
const started = (claim: Claim): [Progress, ...Progress[]] => [
  {
    fact: 'launched',
    holdings: [holding(claim)],
    adapter: 'command',
    model: null,
    pid: 1,
    pidStarted: '1',
    workspace: '/w',
    deadlineAt: null,
    route: {},
  },
  { fact: 'ready', holding: holding(claim), baseCommit: base, startCommit: base },
];
const done = (claim: Claim): [Extract<Progress, { fact: 'done' }>] => [
  {
    fact: 'done',
    holding: holding(claim),
    baseCommit: base,
    startCommit: base,
    headCommit: head,
    summary: 'ok',
  },
];
const statuses = async (runId: string) =>
  (await held.store.tasks.list({ runId })).items.map(({ key, status }) => `${key} ${status}`).sort();

it('takes many tasks to done in three statements, with every event of every machine', async () => {
  const { runId } = await held.flow.open(['a', 'b', 'c', 'd', 'e'].map((key) => draft(key)));
  const claims = await many(runId, 3);
  expect(claims.map(({ tasks }) => tasks[0]?.task.key)).toEqual(['a', 'b', 'c']);
  expect(await recordTogether(claims.map(started))).toEqual(
    claims.map(() => ({ ok: true, taskStatus: 'IN_PROGRESS' })),
  );
  expect(await recordTogether(claims.map(done))).toEqual(
    claims.map(() => ({ ok: true, taskStatus: 'DONE' })),
  );
  expect(await statuses(runId)).toEqual(['a DONE', 'b DONE', 'c DONE', 'd OPEN', 'e OPEN']);
  for (const { tasks, sessionId } of claims) {
    const task = await held.store.tasks.history({ entityId: tasks[0]?.task.id ?? '', machine: 'task' });
    expect(task.map(({ to }) => to)).toEqual(['PLANNED', 'OPEN', 'CLAIMED', 'IN_PROGRESS', 'DONE']);
    const turn = await held.store.tasks.history({ entityId: tasks[0]?.attempt.id ?? '', machine: 'turn' });
    expect(turn.map(({ to }) => to)).toEqual(['CLAIMING', 'SPAWNING', 'RUNNING', 'VERIFYING']);
    expect(await held.store.tasks.history({ entityId: sessionId })).toHaveLength(6);
  }
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('shares the queue with other claimers, none twice', async () => {
  const { runId } = await held.flow.open(Array.from({ length: 60 }, (_, at) => draft(`t${at}`)));
  const claimed = await Promise.all(Array.from({ length: 8 }, () => many(runId, 10)));
  const keys = claimed.flat().map(({ tasks }) => tasks[0]?.task.key);
  expect(new Set(keys).size).toBe(keys.length);
  const rest = await many(runId, 60);
  expect(keys.length + rest.length).toBe(60);
});

const keysOf = (claims: Claim[]) => claims.map(({ tasks }) => tasks[0]?.task.key).sort();

it('takes what single claims would take where paths, a budget or a limit of agents have to be looked at', async () => {
  const paths = await held.flow.open([
    draft('a'),
    draft('b', { files: ['src'] }),
    draft('c', { files: ['src/x'] }),
    draft('d'),
  ]);
  expect(keysOf(await many(paths.runId, 2))).toEqual(['a', 'b']);
  // `c` waits for the paths of `b`.
  expect(keysOf(await many(paths.runId, 5))).toEqual(['d']);
  const limited = await held.flow.open([draft('a'), draft('b'), draft('c')], { maxAgents: 2 });
  // Who asks at the same moment may find the first ones locked.
  expect(await many(limited.runId, 5)).toHaveLength(2);
  const cost = { maxCostMicroUsd: 400_000 };
  const budget = await held.flow.open([draft('a', cost), draft('b', cost), draft('c', cost)], {
    budgetMicroUsd: 1_000_000,
  });
  expect(keysOf(await many(budget.runId, 2))).toEqual(['a', 'b']);
  expect((await held.store.runs.get(budget.runId))?.reservedMicroUsd).toBe(800_000);
  expect(await many(budget.runId, 2)).toEqual([]);
});

it('takes no more than the budget has room for when a whole set has none', async () => {
  const cost = { maxCostMicroUsd: 400_000 };
  const { runId } = await held.flow.open([draft('a', cost), draft('b', cost), draft('c', cost)], {
    budgetMicroUsd: 1_000_000,
  });
  const claims = await many(runId, 3);
  expect(claims.map(({ run }) => run.reservedMicroUsd).sort()).toEqual([400_000, 800_000]);
});

it('records each by itself when one of them is stale or refused', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b')]);
  const claims = await many(runId, 2);
  await recordTogether(claims.map(started));
  const [first, second] = claims.map(done);
  if (first === undefined || second === undefined) throw new Error('two were claimed');
  const stale: typeof second = [{ ...second[0], holding: { ...second[0].holding, fence: 99 } }];
  const outcomes = await recordTogether([first, stale]);
  expect(outcomes).toMatchObject([{ ok: true }, { ok: false, code: 'LEASE_LOST' }]);
  expect(await statuses(runId)).toEqual(['a DONE', 'b IN_PROGRESS']);
  expect(await recordTogether([first, second])).toMatchObject([
    { ok: false, code: 'ILLEGAL_TRANSITION' },
    { ok: true },
  ]);
});
