import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../src/apply.ts';
import type { Change, EventDraft } from '../src/change.ts';
import { queryOne, type Db } from '../src/db.ts';
import { openDb } from '../src/open.ts';
import { situationOfSession } from '../src/sql/load-situation.ts';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
let db: Db;
let close: () => Promise<void>;
beforeAll(() => ({ db, close } = openDb({ url: held.url })));
afterAll(() => close());

/** What a change of the session, the task and the attempt of an agent at work names; no events, so that only the rows can say no. */
async function atWork() {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const situation = await queryOne(db, situationOfSession, [claim.sessionId]);
  const [item] = situation?.items ?? [];
  if (!situation?.session || item === undefined) throw new Error('an agent is at work');
  const { session } = situation;
  const { task, attempt } = item;
  return {
    session: { id: session.id, statusSeq: session.statusSeq, executionSeq: session.executionSeq, patch: {} },
    task: { id: task.id, version: task.version, fence: task.fence, patch: { conflicts: 2 } },
    attempt: {
      id: attempt.id,
      ...{ fence: attempt.fence, turnSeq: attempt.turnSeq, openTools: attempt.openTools },
      patch: { summary: 'changed' },
    },
  };
}

type AtWork = Awaited<ReturnType<typeof atWork>>;
const changeOf = (...all: AtWork[]): Change => ({
  sessions: all.map(({ session }) => session),
  tasks: all.map(({ task }) => task),
  attempts: all.map(({ attempt }) => attempt),
});

const overtaken: [string, 'stale' | 'fence', (now: AtWork) => Partial<AtWork>][] = [
  ['status of the session', 'stale', ({ session: s }) => ({ session: { ...s, statusSeq: s.statusSeq - 1 } })],
  ['execution', 'stale', ({ session: s }) => ({ session: { ...s, executionSeq: s.executionSeq - 1 } })],
  ['version of the task', 'stale', ({ task }) => ({ task: { ...task, version: task.version - 1 } })],
  ['fence of the task', 'stale', ({ task }) => ({ task: { ...task, fence: task.fence - 1 } })],
  ['turn', 'stale', ({ attempt: a }) => ({ attempt: { ...a, turnSeq: a.turnSeq - 1 } })],
  ['fence of the attempt', 'fence', ({ attempt: a }) => ({ attempt: { ...a, fence: a.fence - 1 } })],
  ['number of open tools', 'stale', ({ attempt: a }) => ({ attempt: { ...a, openTools: a.openTools + 1 } })],
];

it.each(overtaken)('changes nothing that was decided on another %s', async (_, why, wrong) => {
  const [other, now] = [await atWork(), await atWork()];
  const refused = await apply(db, changeOf(other, { ...now, ...wrong(now) }));
  expect(refused).toEqual({ ok: false, why });
  // Not even what is right in the same set.
  const [row] = await held.sql('SELECT conflicts FROM task WHERE id = $1', [other.task.id]);
  expect(row).toEqual({ conflicts: 0 });
  expect(await apply(db, changeOf(other, now))).toMatchObject({ ok: true });
});

it('changes no attempt that has ended', async () => {
  const now = await atWork();
  await held.sql('UPDATE attempt SET ended_at = now() WHERE id = $1', [now.attempt.id]);
  expect(await apply(db, changeOf(now))).toEqual({ ok: false, why: 'stale' });
});

/** An open task, and the event of its claim. */
async function openTask(): Promise<{ id: string; event: EventDraft }> {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id ?? '';
  const move = { fromState: 'OPEN', toState: 'CLAIMED', event: 'claim', alias: null, kind: 'move' } as const;
  const why = {
    actor: 'worker:w1',
    reason: 'test',
    transitionReason: null,
    abortReason: null,
    trigger: null,
  };
  const event = {
    machine: 'task',
    version: 1,
    entityId: id,
    runId,
    taskId: id,
    seq: 2,
    ...move,
    ...why,
  } as const;
  return { id, event: { ...event, metadata: {} } };
}

it.each<[string, string, Partial<EventDraft>]>([
  ['leaves a gap behind the last one', 'BA002', { seq: 3 }],
  ['is the last one again', 'BA002', { seq: 1 }],
  [
    'begins where its entity does not stand',
    'BA002',
    { fromState: 'CLAIMED', toState: 'IN_PROGRESS', event: 'start' },
  ],
  ['is no cell of its machine', 'BA001', { toState: 'DONE' }],
])('writes no event that %s', async (_, sqlState, wrong) => {
  const { id, event } = await openTask();
  const change = (given: Partial<EventDraft>): Change => ({
    events: [{ ...event, ...given }],
    tasks: [{ id, version: 1, patch: {} }],
  });
  await expect(apply(db, change(wrong))).rejects.toMatchObject({ details: { sqlState } });
  expect(await held.store.history({ entityId: id, machine: 'task' })).toHaveLength(2);
  expect(await apply(db, change({}))).toMatchObject({ ok: true });
});

const release = { fromState: 'CLAIMED', toState: 'OPEN', event: 'release', kind: 'move' } as const;
it.each<[string, Partial<EventDraft>]>([
  ['leaves a gap behind the one before it', { ...release, seq: 4 }],
  [
    'begins elsewhere than the one before it ended',
    { ...release, seq: 3, fromState: 'IN_PROGRESS', event: 'requeue' },
  ],
  ['begins where the set began', { seq: 3 }],
])('writes no set of events of which a later one %s', async (_, wrong) => {
  const { id, event } = await openTask();
  const change = { events: [event, { ...event, ...wrong }], tasks: [{ id, version: 1, patch: {} }] };
  await expect(apply(db, change)).rejects.toBeDefined();
  expect(await held.store.history({ entityId: id, machine: 'task' })).toHaveLength(2);
});

const begin = { alias: null, kind: 'move' } as const;
it.each<[string, Partial<EventDraft>]>([
  [
    'in a later state',
    { ...begin, machine: 'execution', seq: 1, fromState: 'starting', toState: 'idle', event: 'connect' },
  ],
  [
    'with a later number',
    { ...begin, machine: 'execution', seq: 2, fromState: 'pending', toState: 'starting', event: 'start' },
  ],
  [
    'with a number after its creation',
    {
      ...begin,
      machine: 'agent',
      seq: 1,
      fromState: null,
      toState: 'starting',
      event: 'created',
      kind: 'created',
    },
  ],
])('lets no machine begin %s', async (_, given) => {
  const { event } = await openTask();
  const { runId } = await held.flow.open([draft('b')]);
  const { sessionId } = await held.flow.claim(runId);
  const change = {
    events: [{ ...event, runId, taskId: null, entityId: sessionId, ...given }],
    sessions: [{ id: sessionId, statusSeq: -1, executionSeq: 0, patch: {} }],
  };
  await expect(apply(db, change)).rejects.toMatchObject({ details: { sqlState: 'BA002' } });
  expect(await held.store.history({ entityId: sessionId })).toEqual([]);
});

it('writes no event whose entity is not set from it', async () => {
  const { event } = await openTask();
  await expect(apply(db, { events: [event] })).rejects.toMatchObject({ details: { sqlState: 'BA002' } });
});

it('writes the events of one entity in their order, each continuing the one before', async () => {
  const { id, event } = await openTask();
  const { event: beside } = await openTask();
  const back = { ...event, seq: 3, fromState: 'CLAIMED', toState: 'OPEN', event: 'release' };
  const [tasks, later] = [[{ id, version: 1, patch: {} }], { id: beside.entityId, version: 1, patch: {} }];
  const events = [event, beside, back];
  expect(await apply(db, { events, tasks: [...tasks, later] })).toMatchObject({ ok: true });
  const history = await held.store.history({ entityId: id, machine: 'task' });
  expect(history.map(({ seq, to }) => `${seq} ${to}`)).toEqual([
    '0 PLANNED',
    '1 OPEN',
    '2 CLAIMED',
    '3 OPEN',
  ]);
  expect(await held.store.verifyAudit()).toMatchObject({ broken: [] });
});

it.each<[string, string[], (now: AtWork) => unknown[]]>([
  [
    'session',
    [
      'session_ids',
      'session_status_seqs',
      'session_execution_seqs',
      'session_status_at',
      'session_execution_at',
    ],
    ({ session }) => [session.id, session.statusSeq, session.executionSeq, 1, 0],
  ],
  [
    'task',
    ['task_ids', 'task_versions', 'task_fences', 'task_at'],
    ({ task }) => [task.id, task.version, task.fence, 1],
  ],
  [
    'attempt',
    ['attempt_ids', 'attempt_fences', 'attempt_seqs', 'attempt_tools', 'attempt_at'],
    ({ attempt }) => [attempt.id, attempt.fence, attempt.turnSeq, attempt.openTools, 1],
  ],
])('sets no %s from the event of something else', async (table, columns, row) => {
  const { id, event } = await openTask();
  const given = {
    actors: 'x',
    cells: 'task|OPEN|claim||CLAIMED|move',
    entities: id,
    seqs: 2,
    runs: event.runId,
  };
  const events = { ...given, tasks: id, reasons: 'x', triggers: null, extras: null };
  const names = [...Object.keys(events), ...columns, `${table}_patches`];
  const values = [...Object.values(events), ...row(await atWork()), '{}'].map((value) => [value]);
  await expect(
    held.sql(
      `INSERT INTO baton_change (${names.join(', ')}) VALUES (${values.map((_, at) => `$${at + 1}`).join(', ')})`,
      values,
    ),
  ).rejects.toMatchObject({ code: 'BA002' });
});

it('carries a command out once, however often it comes', async () => {
  const now = await atWork();
  const { id, fence } = now.attempt;
  const fact = { fact: 'tool_started', holding: { attemptId: id, fence } } as const;
  const by = { actor: 'worker:w1', commandId: `tool-${id}` };
  const [first, second] = [await held.store.record(fact, by), await held.store.record(fact, by)];
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(await held.sql('SELECT open_tools FROM attempt WHERE id = $1', [id])).toEqual([{ open_tools: 1 }]);
  const { commandId: _, ...another } = by;
  await held.store.record(fact, another);
  expect(await held.sql('SELECT open_tools FROM attempt WHERE id = $1', [id])).toEqual([{ open_tools: 2 }]);
});

it('closes no task that has not landed', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const { tasks } = await held.flow.finish(runId);
  const id = tasks[0]?.task.id ?? '';
  const [row] = await held.sql('SELECT version FROM task WHERE id = $1', [id]);
  const version = Number(row?.['version']);
  const { event } = await openTask();
  const close = { fromState: 'DONE', toState: 'CLOSED', event: 'verify_pass', seq: version + 1 };
  const events = [{ ...event, ...close, entityId: id, taskId: id, runId }];
  await expect(apply(db, { events, tasks: [{ id, version, patch: {} }] })).rejects.toMatchObject({
    details: { sqlState: 'BA003' },
  });
});

it('keeps the paths of a batch until its work has landed', async () => {
  const { runId } = await held.flow.open([draft('a', { files: ['src'] })]);
  const claim = await held.flow.claim(runId);
  const paths = async () =>
    (await held.sql('SELECT 1 FROM path_lock WHERE session_id = $1', [claim.sessionId])).length > 0;
  for (const step of [held.flow.launch, held.flow.ready, held.flow.done, held.flow.over]) {
    expect(await paths()).toBe(true);
    await step(claim);
  }
  expect(await paths()).toBe(true);
  await held.flow.landAll(runId);
  expect(await paths()).toBe(false);
});

it('lets nobody past the doors to the sets behind them', async () => {
  const { id, event } = await openTask();
  const events = `SELECT baton_put_events('{task|OPEN|claim||CLAIMED|move}', ARRAY[$1]::uuid[], '{2}', ARRAY[$2]::uuid[], ARRAY[$1]::uuid[],
    '{x}', '{NULL}', '{NULL}', '{1}', 'x', now())`;
  await expect(held.sql(events, [id, event.runId])).rejects.toMatchObject({ code: 'BA001' });
  const tasks = `SELECT baton_add_tasks(jsonb_build_array(to_jsonb(t) || '{"id":"${db.ids.uuid()}","key":"other","status":"PLANNED"}'), '[]',
    '{"actor":"x","reason":"x"}') FROM task t WHERE t.id = $1`;
  await expect(held.sql(tasks, [id])).rejects.toMatchObject({ code: 'BA001' });
  expect(await held.store.history({ entityId: id, machine: 'task' })).toHaveLength(2);
});
