import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '@baton/testkit';
import { openStore } from '../src/index.ts';
import { by, draft, runDraft } from './support/builders.ts';
import { storeDatabase } from './support/database.ts';

let database: TestDatabase;
beforeAll(async () => (database = await storeDatabase()));
afterAll(() => database[Symbol.asyncDispose]());

/** A way to the database on which connections can fall silent: both ends stay open, and nothing gets through any more. */
async function silentWay() {
  const target = new URL(database.url);
  const open = new Set<{ silent: boolean; ends: Socket[] }>();
  let isShut = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const way = { silent: false, ends: [near, far] };
    open.add(way);
    if (isShut) near.destroy();
    near.on('data', (bytes) => void (way.silent || far.write(bytes)));
    far.on('data', (bytes) => void (way.silent || near.write(bytes)));
    for (const end of way.ends) end.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  Object.assign(url, { hostname: '127.0.0.1', port: String((server.address() as AddressInfo).port) });
  return {
    url: url.href,
    silence: () => open.forEach((way) => (way.silent = true)),
    /** Takes no new connection. */
    shut: () => (isShut = true),
    [Symbol.asyncDispose]: async () => {
      open.forEach(({ ends }) => ends.forEach((end) => end.destroy()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('repeats a read over another connection when those it has fell silent', { timeout: 6_000 }, async () => {
  await using way = await silentWay();
  const store = await openStore({ url: way.url, silenceMs: 500 });
  try {
    const { run } = await store.runs.create(runDraft([draft('a')]), by);
    way.silence();
    expect(await store.runs.get(run.id)).toMatchObject({ id: run.id });
  } finally {
    await store.close();
  }
});

it('waits for what goes over the whole record, however long that takes', async () => {
  const store = await openStore({ url: database.url, silenceMs: 300 });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    await store.runs.create(runDraft([draft('b')]), by);
    await store.feed.sequence();
    await other.query('BEGIN; LOCK TABLE task IN ACCESS EXCLUSIVE MODE');
    const audit = store.audit.verify();
    const free = other.query(`SELECT pg_sleep(3)`).then(() => other.query('ROLLBACK'));
    expect(await audit).toMatchObject({ broken: [] });
    await free;
  } finally {
    await other.end();
    await store.close();
  }
});

const workerId = '0199c2d4-0000-7000-8000-00000000000a';
const self = { name: 'w', host: 'h', pid: 1, pidStarted: '1', bootId: 'b', capacity: 1, version: '0' };

it('renews leases over other connections soon after every one it had fell silent in the middle of a call', async () => {
  await using way = await silentWay();
  const store = await openStore({ url: way.url, poolSize: 2, askMs: 200 });
  try {
    await store.workers.register({ ...self, id: workerId, labels: [], runId: null });
    const { run } = await store.runs.create(runDraft([draft('c')]), by);
    way.silence();
    const calls = [
      store.claims.renewLeases({ workerId, leaseMs: 60_000 }),
      store.workers.heartbeat(workerId),
      store.runs.get(run.id),
    ];
    expect(await Promise.all(calls)).toMatchObject([{ lost: [] }, { status: 'online' }, { id: run.id }]);
  } finally {
    await store.close();
  }
});

it('says soon that Postgres does not answer where it takes no new connection either', async () => {
  await using way = await silentWay();
  const store = await openStore({ url: way.url, askMs: 200 });
  try {
    const { run } = await store.runs.create(runDraft([draft('d')]), by);
    way.silence();
    way.shut();
    await expect(store.runs.get(run.id)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  } finally {
    await store.close();
  }
});

it('leaves a statement alone while others are answered, though no new connection is taken', async () => {
  await using way = await silentWay();
  const store = await openStore({ url: way.url, askMs: 50, poolSize: 2 });
  try {
    const [{ run }] = await Promise.all([
      store.runs.create(runDraft([draft('f')]), by),
      store.workers.list(),
    ]);
    let paused: Promise<unknown> = Promise.resolve();
    await database.whileLocked('run', async () => {
      paused = store.runs.pause(run.id, { actor: 'me', reason: 'stop' });
      way.shut();
      const endMs = performance.now() + 1_200;
      while (performance.now() < endMs) await store.workers.list();
    });
    expect(await paused).toMatchObject({ status: 'paused' });
  } finally {
    await store.close();
  }
});

it('leaves a statement alone that the server works on, or that waits for a lock, however long', async () => {
  const store = await openStore({ url: database.url, askMs: 50 });
  try {
    const { run } = await store.runs.create(runDraft([draft('e')]), by);
    let paused: Promise<unknown> = Promise.resolve();
    await database.whileLocked('run', async () => {
      paused = store.runs.pause(run.id, { actor: 'me', reason: 'stop' });
      await database.sql('SELECT pg_sleep(1.5)');
    });
    expect(await paused).toMatchObject({ status: 'paused' });
  } finally {
    await store.close();
  }
});
