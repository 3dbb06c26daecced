import { BatonError } from '@baton/contracts';
import { describe, expect, it } from 'vitest';
import { migrate, openStore, type StoreOptions } from '../src/index.ts';
import { draft } from './support/builders.ts';
import { ownStore, testStore } from './support/store.ts';

const held = testStore();
const by = { actor: 'operator:ada', reason: 'first try' };

/** What is thrown, which must have a code, a way out and no text of a statement. */
async function refusal(act: () => Promise<unknown>): Promise<BatonError> {
  const error: unknown = await act().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!BatonError.is(error)) throw new Error(`no code: ${String(error)}`);
  expect(error.fix ?? error.details['issues']).toBeDefined();
  expect(error.message).not.toMatch(/SELECT|INSERT|\$1/);
  return error;
}

// A server of its own name would be taken for it: no address, and one of something else.
const addresses = [undefined, null, '', 'localhost', 'mysql://ada:secret@h/db', 'http://h/db', 5, {}];
it.each(addresses)('opens and migrates nothing at the address %j', async (url) => {
  for (const act of [() => openStore({ url } as StoreOptions), () => migrate(url as string)]) {
    const error = await refusal(act);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', at: 'url' });
    expect(error.message).not.toContain('secret');
  }
});

it.each([
  ['poolSize', -1],
  ['poolSize', 0],
  ['poolSize', '3'],
  ['silenceMs', NaN],
  ['silenceMs', -1],
  ['clock', {}],
  ['random', 5],
  ['poolsize', 1],
])('opens no store with the option %s: %j', async (name, value) => {
  const error = await refusal(() => openStore({ url: held.url, [name]: value }));
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toContain(name);
});

describe('a value that can be in no row', () => {
  const odd = [
    'x',
    '',
    '0',
    NaN,
    5n,
    true,
    {},
    new Date(Number.NaN),
    Symbol('s'),
    '__proto__',
    '\ud800',
  ] as unknown[];
  it.each(odd)('is refused as an id: %s', async (id) => {
    const { store } = held;
    const calls = [
      () => store.runs.get(id as string),
      () => store.tasks.get(id as string),
      () => store.runs.approvePlan(id as string, by),
      () => store.runs.pause(id as string, by),
      () => store.tasks.cancel(id as string, by),
      () => store.tasks.explain(id as string),
    ];
    for (const call of calls) expect((await refusal(call)).code).toBe('INVALID_INPUT');
  });

  it('is refused where it is missing, and where it is too large', async () => {
    const { store } = held;
    const register = () => store.workers.register({} as Parameters<typeof store.workers.register>[0]);
    expect((await refusal(register)).code).toBe('INVALID_INPUT');
    const cursor = () => store.feed.setCursor('mine', 2 ** 70);
    expect((await refusal(cursor)).code).toBe('INVALID_INPUT');
  });
});

describe('a call that leaves an argument out', () => {
  type Call = (...args: unknown[]) => Promise<unknown>;
  /** Calls that need nothing. */
  const bare = [
    'workers.list',
    'feed.sequence',
    'feed.position',
    'keys.list',
    'audit.verify',
    'audit.counts',
  ];

  it('is refused, whatever it asks and however the argument is missing', async () => {
    const { store } = held;
    const groups = Object.entries(store).filter(([, group]) => typeof group === 'object');
    const calls = groups.flatMap(([group, members]) =>
      Object.entries(members as unknown as Record<string, Call>).map(
        ([name, call]) => [`${group}.${name}`, call] as const,
      ),
    );
    expect(calls.length).toBeGreaterThan(90);
    for (const [name, call] of calls) {
      if (name === 'transfer.exportLines') continue;
      if (bare.includes(name)) {
        await call();
        continue;
      }
      for (const args of [[], [undefined, undefined], [null, null]])
        expect(await refusal(() => call(...args)), name).toMatchObject({ code: 'INVALID_INPUT', at: name });
    }
  });

  it('does nothing, and names which one', async () => {
    const { store } = held;
    const { run } = await store.runs.create({ name: 'r', tasks: [draft('a')] }, by);
    const error = await refusal(() => (store.runs.cancel as Call)(run.id));
    expect(error.message).toBe('`store.runs.cancel` was called without argument 2 of 2.');
    expect(await refusal(() => (store.runs.list as Call)())).toMatchObject({
      message: '`store.runs.list` was called without its argument.',
    });
    expect((await store.runs.get(run.id))?.status).toBe(run.status);
    expect(await store.runs.baseVerdict(run.id)).toBeNull();
    expect((await store.runs.list({})).items).toContainEqual(expect.objectContaining({ id: run.id }));
  });
});

it('a store that was closed says so, whatever is asked of it, and closes again', async () => {
  await using own = await ownStore();
  const { run } = await own.store.runs.create({ name: 'r', tasks: [draft('a')] }, by);
  await own.store.close();
  const calls = [
    () => own.store.runs.get(run.id),
    () => own.store.runs.create({ name: 'r', tasks: [draft('a')] }, by),
    () => own.store.claims.claimBatch({ workerId: 'w1' }),
    () => own.store.keys.list(),
  ];
  for (const call of calls)
    expect(await refusal(call)).toMatchObject({
      code: 'CONFLICT',
      fix: expect.stringContaining('openStore'),
    });
  await own.store.close();
});

it('a server without TLS that was asked for it is named, with what to change', async () => {
  const url = `${held.url}${held.url.includes('?') ? '&' : '?'}sslmode=verify-full`;
  for (const act of [() => openStore({ url }), () => migrate(url)]) {
    const error = await refusal(act);
    expect(error.code).toBe('DATABASE_LOGIN');
    expect(error.fix).toContain('sslmode');
  }
});
