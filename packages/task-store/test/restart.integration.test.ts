import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@baton/embedded-postgres';
import { tempDir, until, type TempDir } from '@baton/testkit';
import { migrate, openStore, type Claim, type Store } from '../src/index.ts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { flow, holding } from './support/flow.ts';

let home: TempDir;
let server: EmbeddedPostgres;
let store: Store;
beforeAll(async () => {
  home = await tempDir();
  server = await startEmbeddedPostgres({ home: home.path, database: 'baton' });
  await migrate(server.url);
  store = await openStore({ url: server.url });
});
afterAll(async () => {
  await store.close();
  await server.release();
  await home[Symbol.asyncDispose]();
});

it(
  'keeps everything committed when Postgres is killed, says so in the meantime, and listens again after',
  { timeout: 120_000 },
  async () => {
    let woken = 0;
    const stop = await store.feed.onWake('work', () => {
      woken++;
    });
    const { run } = await store.runs.create(
      runDraft([draft('a', { scope: 'large' }), draft('b', { scope: 'large' })]),
      by,
    );
    await store.runs.approvePlan(run.id, by);
    const claim = await store.claims.claimBatch(request({ runId: run.id }));
    if (claim === null) throw new Error('nothing to claim');
    const calls = Array.from({ length: 6 }, () =>
      store.claims.claimBatch(request({ runId: run.id })).catch((error: unknown) => error),
    );
    process.kill(server.pid, 'SIGKILL');
    const down: unknown = await until(
      () =>
        store.claims.claimBatch(request({ runId: run.id })).then(
          () => null,
          (error: unknown) => error,
        ),
      { what: 'a call fails' },
    );
    expect(BatonError.is(down, 'DATABASE_UNREACHABLE') && down.retryable).toBe(true);
    for (const answer of await Promise.all(calls)) {
      if (answer instanceof Error) expect(BatonError.is(answer, 'DATABASE_UNREACHABLE')).toBe(true);
    }
    expect(await server.ensureRunning()).toBe('restarted');
    await until(() => store.runs.get(run.id), { what: 'the store reads again' });
    const held = await store.tasks.listAttempts({ runId: run.id, open: true });
    expect(held.map((attempt) => attempt.taskId)).toContain(claim.tasks[0]?.task.id);
    expect(new Set(held.map((attempt) => attempt.taskId)).size).toBe(held.length);
    await flow(store).launch(claim);
    await flow(store).ready(claim);
    const before = woken;
    await flow(store).tell({ fact: 'released', holding: holding(claim), reason: 'drained' });
    await until(() => woken > before, { what: 'the listener hears again' });
    expect(await store.audit.verify()).toMatchObject({ broken: [] });
    await stop();
  },
);

it('leaves nothing half done when a connection is ended in the middle of a claim', async () => {
  const { run, tasks } = await store.runs.create(
    runDraft(Array.from({ length: 40 }, (_, n) => draft(`t${n}`))),
    by,
  );
  await store.runs.approvePlan(run.id, by);
  const admin = await openStore({ url: server.url });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  let killing = true;
  let kills = 0;
  const killer = async () => {
    while (killing && kills < 25) {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%baton_claim%'`,
      );
      kills += rowCount ?? 0;
    }
  };
  const killed = killer();
  const got: string[] = [];
  let claim: Claim | null | undefined;
  do {
    claim = await store.claims.claimBatch(request({ runId: run.id, maxTasks: 3 })).catch((error: unknown) => {
      if (!BatonError.is(error, 'DATABASE_UNREACHABLE')) throw error;
      return undefined;
    });
    got.push(...(claim?.tasks ?? []).map(({ task }) => task.id));
  } while (claim !== null);
  killing = false;
  await killed;
  expect(kills).toBeGreaterThan(0);
  await client.end();
  const { items } = await admin.tasks.list({ runId: run.id });
  expect(items.map((task) => task.status)).toEqual(tasks.map(() => 'CLAIMED'));
  expect(new Set(got).size).toBe(got.length);
  const attempts = await admin.tasks.listAttempts({ runId: run.id });
  expect(attempts).toHaveLength(40);
  const sessions = await admin.tasks.sessions({ runId: run.id });
  expect(sessions.every((session) => attempts.some((attempt) => attempt.sessionId === session.id))).toBe(
    true,
  );
  expect(await admin.audit.verify()).toMatchObject({ broken: [] });
  await admin.close();
});
