import { expect, it } from 'vitest';
import type { Claim, ClaimRequest } from '../src/index.ts';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { setClaims } from './support/sets.ts';

const held = testStore();
const claimInSet = setClaims(held);
const many = (count: number, given: Partial<ClaimRequest> = {}) => claimInSet(request(given), count);
const keysOf = (claims: Claim[]) => claims.map(({ tasks }) => tasks[0]?.task.key);

it('gives each worker its own session and attempt, in the rows as in the answer', async () => {
  const workers = ['w1', 'w2', 'w3', 'w4'];
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await Promise.all(
    workers.map((workerId) => held.store.claims.claimBatch(request({ runId, workerId }))),
  );
  const attempts = await held.store.tasks.listAttempts({ runId });
  const sessions = await held.store.tasks.sessions({ runId });
  for (const [at, claim] of claims.entries()) {
    const { attempt } = claim?.tasks[0] ?? {};
    const workerId = workers[at] ?? '';
    expect(attempt).toMatchObject({ workerId, sessionId: claim?.sessionId });
    expect(attempts.find(({ id }) => id === attempt?.id)).toEqual(attempt);
    expect(sessions.find(({ id }) => id === claim?.sessionId)).toMatchObject({ workerId });
    const turn = await held.store.tasks.history({ entityId: attempt?.id ?? '', machine: 'turn' });
    expect(turn.map(({ actor }) => actor)).toEqual([`worker:${workerId}`]);
  }
});

it.each([['one run'], ['all runs']])(
  'stops at what needs paths or a place, also among the tasks of %s',
  async (of) => {
    const among = (runId: string) => (of === 'one run' ? { runId } : {});
    const behind = await held.flow.open([draft('a'), draft('b', { files: [`lib ${of}`] }), draft('c')]);
    const ids = () => [1, 2, 3].map(() => crypto.randomUUID());
    const [row] = await held.sql(
      `SELECT baton_claim_many(ROW($1, 'here', '{}', NULL, $2, 60000, $3, $4, '{}')::claim_set_request) AS answer`,
      [['w1', 'w2', 'w3'], among(behind.runId).runId ?? null, ids(), ids()],
    );
    // `c` is behind what the set cannot take.
    expect(row?.['answer']).toMatchObject({ cut: true, tasks: [{ task: { key: 'a' } }] });
    await held.store.runs.cancel(behind.runId, by);
    const paths = await held.flow.open([draft('a'), draft('b', { files: [`src ${of}`] }), draft('c')]);
    const claims = await many(3, among(paths.runId));
    expect(keysOf(claims).sort()).toEqual(['a', 'b', 'c']);
    const owner = claims.find(({ tasks }) => tasks[0]?.task.key === 'b');
    const locks = await held.sql('SELECT DISTINCT session_id FROM path_lock WHERE session_id = $1', [
      owner?.sessionId,
    ]);
    expect(locks).toHaveLength(1);
    await held.store.runs.cancel(paths.runId, by);
    const limited = await held.flow.open([draft('a'), draft('b'), draft('c')], { maxAgents: 2 });
    // Who asks at the same moment may find the first ones locked.
    expect(await many(3, among(limited.runId))).toHaveLength(2);
    await held.store.runs.cancel(limited.runId, by);
  },
);

it('takes only what its worker can do and what nothing keeps back', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('frontend', { role: 'frontend' }),
    draft('gpu', { labels: ['gpu'] }),
    draft('later', { notBefore: '2100-01-01T00:00:00Z' }),
    draft('dependent', { dependsOn: ['gpu'] }),
    draft('unwanted'),
    draft('plain'),
  ]);
  await held.sql('UPDATE task SET cancel_requested = true WHERE id = $1', [tasks[4]?.id]);
  const able = (host: string, labels: string[], roles?: string[]) => ({
    runId,
    capabilities: { host, labels, ...(roles && { roles }) },
  });
  expect(await many(6, able('elsewhere', ['gpu']))).toEqual([]);
  expect(keysOf(await many(6, able('here', [], ['backend'])))).toEqual(['plain']);
  expect(keysOf(await many(6, able('here', ['gpu'])))).toEqual(['frontend', 'gpu']);
});

it('claims of one moment get only what their own worker can do', async () => {
  const roles = ['backend', 'frontend', 'backend', 'frontend', 'backend', 'frontend'];
  const { runId } = await held.flow.open(roles.map((role, at) => draft(`${role}-${at}`, { role })));
  const claims = await Promise.all(
    roles.map((role) =>
      held.store.claims.claimBatch(
        request({ runId, capabilities: { host: 'here', labels: [], roles: [role] } }),
      ),
    ),
  );
  expect(claims.map((claim) => claim?.tasks[0]?.task.role)).toEqual(roles);
});

it('returns the tasks before it and what an earlier try left', async () => {
  const { runId } = await held.flow.open([
    draft('first'),
    draft('next', { dependsOn: ['first'] }),
    draft('again'),
  ]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  const salvageRef = 'refs/baton/salvage/again/1';
  const [one, two] = await many(2, { runId });
  for (const claim of [one, two])
    if (claim?.tasks[0]?.task.key === 'again')
      await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'test', salvageRef });
  const [again] = await many(1, { runId });
  expect(keysOf([one, two, again].flatMap((claim) => claim ?? []))).toEqual(['next', 'again', 'again']);
  expect(one?.tasks[0]?.predecessors).toMatchObject([{ key: 'first', summary: 'did it' }]);
  expect(two?.tasks[0]).toMatchObject({ predecessors: [], salvageRef: null });
  expect(again?.tasks[0]).toMatchObject({ salvageRef, attempt: { number: 2, fence: 2 } });
});

it('begins nothing of a run whose budget is nearly spent, nor more than it has room for', async () => {
  const tasks = [draft('a', { maxCostMicroUsd: 10_000 }), draft('b', { maxCostMicroUsd: 20_000 })];
  const { runId } = await held.flow.open(tasks, { budgetMicroUsd: 1_000_000 });
  await held.sql('UPDATE budget SET spent_micro_usd = 950000 WHERE run_id = $1', [runId]);
  expect(await many(2, { runId })).toEqual([]);
  await held.sql('UPDATE budget SET spent_micro_usd = 949999, starved = false WHERE run_id = $1', [runId]);
  await held.sql(`UPDATE task SET claimable = true WHERE run_id = $1 AND status = 'OPEN'`, [runId]);
  expect(keysOf(await many(2, { runId })).sort()).toEqual(['a', 'b']);
  const rows = await held.sql(
    `SELECT r.amount_micro_usd::int AS amount, t.key FROM reservation r JOIN attempt a ON a.id = r.attempt_id
      JOIN task t ON t.id = a.task_id WHERE r.run_id = $1 ORDER BY t.key`,
    [runId],
  );
  expect(rows).toEqual([
    { amount: 10_000, key: 'a' },
    { amount: 20_000, key: 'b' },
  ]);
});
