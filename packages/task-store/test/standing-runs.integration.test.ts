import { gate } from '@baton/contracts';
import { expect, it } from 'vitest';
import type { RunDefaults, Store } from '../src/index.ts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();

const defaults: RunDefaults = {
  gates: [gate.parse({ name: 'tests', command: ['npm', 'test'] })],
  agents: { fix: { command: ['fix'], env: {} } },
  defaultAgent: 'fix',
  workspace: null,
  routing: null,
};
const base = 'b'.repeat(40);

let count = 0;

const eventOf = (deliveryId: string) => ({
  source: 'webhook',
  deliveryId,
  kind: 'any',
  receivedAt: '2026-01-01T00:00:00Z',
  sender: null,
  trusted: true,
  data: {},
});

/** Delivers one event for a rule; returns the id of its task. */
async function deliver(
  rule: string,
  given: Partial<Parameters<Store['inbox']['accept']>[0]['matches'][number]> = {},
): Promise<string> {
  const event = eventOf(`${rule}-${++count}`);
  const match = {
    rule,
    repo: { location: '/repo', host: 'here' },
    target: `baton/trigger-${rule}`,
    baseCommit: null,
    draft: draft(rule, { source: { kind: 'trigger', by: rule, trusted: true } }),
    planned: false,
    ...given,
  };
  const { taskIds } = await held.store.inbox.accept({ event, matches: [match] });
  return taskIds[0] ?? '';
}

/** Claims until nothing is left, since a command gets one task at a time; returns the ids. */
async function claimed(runId: string): Promise<string[]> {
  const batch = await held.store.claims.claimBatch(request({ runId, maxTasks: 3 }));
  if (batch === null) return [];
  return [...batch.tasks.map(({ task }) => task.id), ...(await claimed(runId))];
}

it('carries triggered work out with what the repository configures, also when that changes', async () => {
  await deliver('nightly', { defaults });
  const { id } = await held.store.runs.find('trigger-nightly');
  expect(await held.store.runs.get(id)).toMatchObject({ ...defaults, baseCommit: null });
  await held.store.runs.pinBase(id, base);
  await held.store.runs.saveBaseVerdict(id, { checksHash: 'h', verdict: passed('tree') });

  // The same again, and a server that knows of no settings, leave all as it is.
  await deliver('nightly', { defaults });
  await deliver('nightly');
  expect(await held.store.runs.get(id)).toMatchObject({ ...defaults, baseCommit: base });

  await deliver('nightly', { defaults: { ...defaults, agents: {}, defaultAgent: 'codex' } });
  expect(await held.store.runs.get(id)).toMatchObject({
    agents: {},
    defaultAgent: 'codex',
    baseCommit: base,
  });
  expect(await held.store.runs.baseVerdict(id)).not.toBeNull();

  // A gate that the base was never judged by.
  await deliver('nightly', { defaults: { ...defaults, gates: [], defaultAgent: null } });
  expect(await held.store.runs.get(id)).toMatchObject({ gates: [], defaultAgent: null, baseCommit: null });
  expect(await held.store.runs.baseVerdict(id)).toBeNull();
  expect(await claimed(id)).toHaveLength(5);
});

it('resumes a failed run at the next delivery, from a base that is chosen again', async () => {
  const first = await deliver('red', { defaults });
  const { id } = await held.store.runs.find('trigger-red');
  await held.store.runs.pinBase(id, base);
  await held.store.runs.saveBaseVerdict(id, {
    checksHash: 'h',
    verdict: { ...passed('tree'), passed: false, reasons: ['red'] },
  });
  await held.store.runs.fail(id, { ...by, reason: 'BASE_RED' });
  expect(await claimed(id)).toEqual([]);

  const second = await deliver('red', { defaults });
  expect(await held.store.runs.get(id)).toMatchObject({ status: 'running', baseCommit: null });
  expect(await held.store.runs.baseVerdict(id)).toBeNull();
  expect((await claimed(id)).sort()).toEqual([first, second].sort());
});

it('begins again after a cancellation, and waits while it is paused', async () => {
  const first = await deliver('stopped');
  const { id } = await held.store.runs.find('trigger-stopped');
  await held.store.runs.cancel(id, by);
  expect(await held.store.tasks.get(first)).toMatchObject({ status: 'CANCELLED' });
  const second = await deliver('stopped');
  expect(await claimed(id)).toEqual([second]);

  await held.store.runs.pause(id, by);
  const third = await deliver('stopped');
  expect(await held.store.runs.get(id)).toMatchObject({ status: 'paused' });
  expect(await claimed(id)).toEqual([]);
  await held.store.runs.resume(id, by);
  expect(await claimed(id)).toEqual([third]);
});

/** Lets the server die between the commit of a delivery and the reopening of its run; returns the id of the delivery. */
async function deliverAndDie(rule: string): Promise<string> {
  await held.sql(
    `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'died'; END $$`,
  );
  await held.sql(
    `CREATE TRIGGER die BEFORE UPDATE OF status ON run FOR EACH ROW WHEN (NEW.status = 'running') EXECUTE FUNCTION die()`,
  );
  await expect(deliver(rule)).rejects.toThrow('died');
  await held.sql('DROP TRIGGER die ON run');
  await held.sql('DROP FUNCTION die');
  return `${rule}-${count}`;
}

/** A standing run of one task that has ended. */
async function ended(rule: string, how: 'cancelled' | 'failed'): Promise<string> {
  await deliver(rule);
  const { id } = await held.store.runs.find(`trigger-${rule}`);
  if (how === 'cancelled') await held.store.runs.cancel(id, by);
  else await held.store.runs.fail(id, by);
  return id;
}

it.each(['cancelled', 'failed'] as const)(
  'a redelivery reopens a %s run whose server died before it could, whatever the rules make of it now',
  async (how) => {
    const id = await ended(`died-${how}`, how);
    const deliveryId = await deliverAndDie(`died-${how}`);
    expect(await held.store.runs.get(id)).toMatchObject({ status: how });
    const again = await held.store.inbox.accept({ event: eventOf(deliveryId), matches: [] });
    expect(again).toMatchObject({ duplicate: true, taskIds: [expect.any(String)] });
    expect(await claimed(id)).toEqual(expect.arrayContaining(again.taskIds));
  },
);

it.each(['cancelled', 'failed'] as const)(
  'upkeep reopens a %s run whose server died before it could, and no other',
  async (how) => {
    const id = await ended(`swept-${how}`, how);
    const other = await ended(`other-${how}`, how);
    await deliverAndDie(`swept-${how}`);
    await held.store.claims.sweep({ actor: 'worker:w1' });
    expect(await held.store.runs.get(id)).toMatchObject({ status: 'running' });
    expect(await held.store.runs.get(other)).toMatchObject({ status: how });
  },
);

it('a redelivery leaves a run alone that a person cancelled after it', async () => {
  const id = await ended('ended-after', 'cancelled');
  await held.store.inbox.accept({ event: eventOf(`ended-after-${count}`), matches: [] });
  expect(await held.store.runs.get(id)).toMatchObject({ status: 'cancelled' });
});

it.each([
  ['forgets the base that held it', {}, null],
  ['keeps the base that the caller has chosen', { keepsBase: true }, base],
])('a run that is resumed %s', async (_, options, kept) => {
  const name = `resumed ${String(kept)}`;
  const { run } = await held.store.runs.create(runDraft([draft('a')], { name }), by);
  await held.store.runs.pause(run.id, { ...by, reason: 'BASE_RED: lights' });
  await held.store.runs.saveBaseVerdict(run.id, { checksHash: 'h', verdict: passed('tree') });
  await held.store.runs.resume(run.id, { ...by, ...options });
  expect(await held.store.runs.get(run.id)).toMatchObject({ baseCommit: kept });
  expect((await held.store.runs.baseVerdict(run.id)) === null).toBe(kept === null);
});

it('a run that a person paused keeps its base', async () => {
  const { run } = await held.store.runs.create(runDraft([draft('a')]), by);
  await held.store.runs.pause(run.id, { ...by, reason: 'lunch' });
  expect(await held.store.runs.resume(run.id, by)).toMatchObject({ baseCommit: base });
});
