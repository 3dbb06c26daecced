import { expect, it } from 'vitest';
import { until } from '@baton/testkit';
import { draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const workers = Array.from({ length: 12 }, (_, at) => `w${at}`);
const launched = (claim: Parameters<typeof holding>[0]) => ({
  fact: 'launched' as const,
  holdings: [holding(claim)],
  adapter: 'command',
  model: null,
  pid: 1,
  pidStarted: '1',
  workspace: '/w',
  deadlineAt: null,
  route: {},
});

async function claimAll(runId: string) {
  const claims = await Promise.all(
    workers.map((workerId) => held.store.claims.claimBatch(request({ runId, workerId }))),
  );
  return claims.map((claim) => {
    if (claim === null) throw new Error('there is a task for each');
    return claim;
  });
}

it('claims of many workers at one moment go together, each with its own session, worker and events', async () => {
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await claimAll(runId);
  expect(new Set(claims.map(({ tasks }) => tasks[0]?.task.id)).size).toBe(workers.length);
  for (const [at, { tasks, sessionId }] of claims.entries()) {
    expect(tasks[0]?.attempt).toMatchObject({ workerId: workers[at], sessionId, fence: 1 });
    const [, , claimed] = await held.store.tasks.history({
      entityId: tasks[0]?.task.id ?? '',
      machine: 'task',
    });
    expect(claimed).toMatchObject({ to: 'CLAIMED', actor: `worker:${workers[at] ?? ''}` });
  }
});

it('reports of many workers at one moment go together, each under its own name', async () => {
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await claimAll(runId);
  const outcomes = await Promise.all(
    claims.map((claim, at) =>
      held.store.claims.record(launched(claim), { actor: `worker:${workers[at] ?? ''}` }),
    ),
  );
  expect(outcomes.every(({ ok }) => ok)).toBe(true);
  for (const [at, { tasks }] of claims.entries()) {
    const turn = await held.store.tasks.history({ entityId: tasks[0]?.attempt.id ?? '', machine: 'turn' });
    expect(turn.map(({ to, actor }) => `${to} ${actor}`)).toContain(`SPAWNING worker:${workers[at] ?? ''}`);
  }
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('a report that lost its fence is refused alone, whatever is reported beside it', async () => {
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await claimAll(runId);
  const lost = claims[3]?.tasks[0]?.attempt.id ?? '';
  await held.sql(`UPDATE attempt SET fence = fence + 1 WHERE id = '${lost}'`);
  const outcomes = await Promise.all(
    claims.map((claim) => held.store.claims.record(launched(claim), { actor: 'worker:w' })),
  );
  expect(outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code))).toEqual(
    workers.map((_, at) => (at === 3 ? 'LEASE_LOST' : 'ok')),
  );
});

it('a task that owns paths keeps its turn among claims that come together', async () => {
  const { runId } = await held.flow.open([
    draft('first', { files: ['src'] }),
    ...workers.map((key) => draft(key)),
  ]);
  const claims = await claimAll(runId);
  expect(claims.some(({ tasks }) => tasks[0]?.task.key === 'first')).toBe(true);
});

it('a report that the database cannot take fails alone, whatever is reported beside it', async () => {
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await claimAll(runId);
  const settled = await Promise.allSettled(
    claims.map((claim, at) =>
      held.store.claims.record({ ...launched(claim), pid: at === 5 ? 2 ** 40 : 1 }, { actor: 'worker:w' }),
    ),
  );
  expect(settled.map((one) => (one.status === 'fulfilled' ? one.value.ok : 'failed'))).toEqual(
    workers.map((_, at) => (at === 5 ? 'failed' : true)),
  );
});

it('reports of one moment that move no machine are kept all the same, and commands among them happen once', async () => {
  const { runId } = await held.flow.open(workers.map((key) => draft(key)));
  const claims = await claimAll(runId);
  const by = { actor: 'worker:w' };
  for (const claim of claims) {
    await held.flow.launch(claim);
    await held.flow.ready(claim);
  }
  const toolOf = (commandOf: (at: number) => string | null) =>
    Promise.all(
      claims.map((claim, at) => {
        const commandId = commandOf(at);
        const command = commandId === null ? by : { ...by, commandId };
        return held.store.claims.record({ fact: 'tool_started', holding: holding(claim) }, command);
      }),
    );
  const openTools = () =>
    held.sql('SELECT DISTINCT open_tools AS open FROM attempt WHERE run_id = $1', [runId]);
  const asked = await toolOf((at) => `${runId}-${at}`);
  expect(await toolOf((at) => `${runId}-${at}`)).toEqual(asked);
  expect(await openTools()).toEqual([{ open: 1 }]);
  await toolOf(() => null);
  expect(await openTools()).toEqual([{ open: 2 }]);
});

it('a report that waits for a lock of somebody else holds up neither later reports nor claims', async () => {
  const { runId } = await held.flow.open([draft('locked'), draft('free'), draft('next')]);
  const [locked, free] = [await held.flow.claim(runId), await held.flow.claim(runId)];
  const client = await held.connection();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM attempt WHERE id = $1 FOR UPDATE', [holding(locked).attemptId]);
  const by = { actor: 'worker:w1' };
  const waiting = held.store.claims.record(launched(locked), by);
  try {
    let isAnswered = false;
    void waiting.finally(() => (isAnswered = true));
    const blocked = `SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      OR NOT granted AND locktype = 'transactionid'`;
    // Those that leave with it in one statement wait with it.
    await until(async () => (await held.sql(blocked)).length > 0, { what: 'the report waits for the lock' });
    expect(await held.store.claims.record(launched(free), by)).toMatchObject({ ok: true });
    const next = await held.store.claims.claimBatch(request({ runId }));
    expect(next?.tasks.map(({ task }) => task.key)).toEqual(['next']);
    expect(isAnswered).toBe(false);
  } finally {
    await client.query('COMMIT');
    await client.end();
  }
  expect(await waiting).toMatchObject({ ok: true });
});
