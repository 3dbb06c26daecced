import { BatonError } from '@baton/contracts';
import type { Fact, RecordOutcome, Store } from '@baton/task-store';
import { expect, it } from 'vitest';
import { retryingStore } from './retrying-store.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const fact: Fact = { fact: 'batch_over', sessionId: 's', exitCode: 0 };
const by = { actor: 'worker:test' };
const away = () => new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.');

const overtaken = { ok: false, code: 'STALE', message: 'report it again' } as const;

/** A store that fails with each of the errors, or refuses, then answers. */
function failing(errors: (Error | RecordOutcome)[]) {
  const told: Fact[] = [];
  const called: string[] = [];
  const call =
    (name: string) =>
    async (...given: unknown[]) => {
      called.push([name, ...given.slice(1).map((one) => JSON.stringify(one))].join(' '));
      const error = errors.shift();
      if (error instanceof Error) throw error;
      return name;
    };
  const record: Store['claims']['record'] = async (given) => {
    told.push(given);
    const error = errors.shift();
    if (error instanceof Error) throw error;
    if (error) return error;
    return { ok: true } as Awaited<ReturnType<Store['claims']['record']>>;
  };
  const streams = Object.fromEntries(['append', 'recordUsage', 'events'].map((name) => [name, call(name)]));
  const parts = { claims: { record }, streams, tasks: { get: call('get'), list: call('list') } };
  return {
    told,
    called,
    store: {
      ...parts,
      lanes: { placeHead: call('placeHead') },
      runs: { settle: call('settle') },
    } as unknown as Store,
  };
}

function patient(store: Store, { stopping = new AbortController().signal, stepMs = 10 } = {}) {
  let nowMs = 0;
  const clock = { now: () => new Date(0), monotonicMs: () => (nowMs += stepMs) };
  return retryingStore(store, { clock, log: quiet, patienceMs: 1_000, stopping });
}

it.each([
  ['append', (store: Store) => store.streams.append([])],
  ['recordUsage', (store: Store) => store.streams.recordUsage({} as never)],
  ['get', (store: Store) => store.tasks.get('t')],
  ['placeHead', (store: Store) => store.lanes.placeHead({} as never, {} as never)],
  ['settle', (store: Store) => store.runs.settle('r')],
])('repeats %s until Postgres takes it', async (name, call) => {
  const { called, store } = failing([
    away(),
    new BatonError('DATABASE_FULL', 'no room'),
    new BatonError('DATABASE_LOGIN', 'refused'),
    new BatonError('DATABASE_DENIED', 'denied'),
  ]);
  expect(await call(patient(store))).toBe(name);
  expect(called).toHaveLength(5);
});

it('says of events that are written again that they may be there, and only of these', async () => {
  const { called, store } = failing([away()]);
  await patient(store).streams.append([]);
  expect(called).toEqual(['append {"again":false}', 'append {"again":true}']);
});

it('asks once what is asked again anyway', async () => {
  const { called, store } = failing([away()]);
  await expect(patient(store).tasks.list({})).rejects.toThrow('does not answer');
  expect(called).toHaveLength(1);
});

it('reports a fact again until Postgres answers', async () => {
  const { told, store } = failing([away(), away()]);
  expect(await patient(store).claims.record(fact, by)).toEqual({ ok: true });
  expect(told).toEqual([fact, fact, fact]);
});

it('reports a fact again that Postgres cut off or could not write', async () => {
  const { told, store } = failing([
    new BatonError('DATABASE_INTERRUPTED', 'Postgres ended a statement early.'),
    new BatonError('DATABASE_READ_ONLY', 'Postgres takes no writes.'),
  ]);
  expect(await patient(store).claims.record(fact, by)).toEqual({ ok: true });
  expect(told).toHaveLength(3);
});

it('gives up when the lease must be gone, and at once when the worker stops', async () => {
  const long = failing([away(), away(), away(), away()]);
  await expect(patient(long.store, { stepMs: 600 }).claims.record(fact, by)).rejects.toThrow(
    'does not answer',
  );
  expect(long.told).toHaveLength(2);
  const stopped = failing([away(), away()]);
  await expect(
    patient(stopped.store, { stopping: AbortSignal.abort() }).claims.record(fact, by),
  ).rejects.toThrow();
  expect(stopped.told).toHaveLength(1);
});

it('does not repeat what Postgres refuses', async () => {
  const { told, store } = failing([new BatonError('CONFLICT', 'no')]);
  await expect(patient(store).claims.record(fact, by)).rejects.toThrow('no');
  expect(told).toHaveLength(1);
});

it('reports a fact again that was overtaken, also while the worker stops, until its lease must be gone', async () => {
  const busy = failing([overtaken, overtaken]);
  const stopping = AbortSignal.abort();
  expect(await patient(busy.store, { stopping }).claims.record(fact, by)).toEqual({ ok: true });
  expect(busy.told).toEqual([fact, fact, fact]);
  const long = failing([overtaken, overtaken, overtaken]);
  expect(await patient(long.store, { stepMs: 600 }).claims.record(fact, by)).toEqual(overtaken);
  expect(long.told).toHaveLength(2);
});

it('takes any other refusal for an answer', async () => {
  const refusal = { ok: false, code: 'LEASE_LOST', message: 'another holder' } as const;
  const { told, store } = failing([refusal]);
  expect(await patient(store).claims.record(fact, by)).toEqual(refusal);
  expect(told).toHaveLength(1);
});
