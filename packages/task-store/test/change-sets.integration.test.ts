import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../src/apply/apply.ts';
import type { Change, EventDraft } from '../src/decide/change.ts';
import type { Db } from '../src/db/query.ts';
import { openDb } from '../src/open.ts';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();
let db: Db;
let close: () => Promise<void>;
beforeAll(() => ({ db, close } = openDb({ url: held.url })));
afterAll(() => close());

/** An open task, and the event of its end by a cancel. */
async function openTask(): Promise<{ id: string; event: EventDraft }> {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id ?? '';
  const move = {
    fromState: 'OPEN',
    toState: 'CANCELLED',
    event: 'cancel',
    alias: null,
    kind: 'move',
  } as const;
  const why = {
    actor: 'operator:x',
    reason: 'test',
    transitionReason: 'aborted',
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

/** What the database says to a change: done, why not, or the code of its refusal. */
async function answerTo(change: Change): Promise<string> {
  try {
    const applied = await apply(db, change);
    return applied.ok ? 'done' : applied.why;
  } catch (error) {
    return String((error as { details?: { sqlState?: string } }).details?.sqlState);
  }
}

it.each<[string, string, Partial<EventDraft>]>([
  ['leaves a gap behind the last one', 'BA002', { seq: 3 }],
  ['is the last one again', 'BA002', { seq: 1 }],
  [
    'begins where its entity does not stand',
    'stale',
    { fromState: 'PLANNED', event: 'reject', transitionReason: null },
  ],
  ['is no cell of its machine', 'BA001', { toState: 'DONE' }],
  [
    'is a move that no fact brings about alone',
    'BA001',
    { event: 'claim', toState: 'CLAIMED', transitionReason: null },
  ],
  ['has another reason than its step', 'BA001', { transitionReason: 'completed' }],
])('writes no change that %s', async (_, why, wrong) => {
  const { id, event } = await openTask();
  const change = (given: Partial<EventDraft>): Change => ({
    events: [{ ...event, ...given }],
    tasks: [{ id, version: 1, patch: {} }],
  });
  expect(await answerTo(change(wrong))).toBe(why);
  expect(await held.store.tasks.history({ entityId: id, machine: 'task' })).toHaveLength(2);
  expect(await answerTo(change({}))).toBe('done');
});

/** A task that failed for good, and a person's retry of it, as one fact each. */
async function failedTask(): Promise<{ id: string; version: number; retry: EventDraft; cancel: EventDraft }> {
  const { event } = await openTask();
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const id = tasks[0]?.id ?? '';
  await held.flow.finish(runId);
  const work = await held.flow.take(runId);
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  await held.flow.tell({ fact: 'rejected', holding, kind: 'rejected', reasons: ['red'] });
  const version = Number((await held.sql('SELECT version FROM task WHERE id = $1', [id]))[0]?.['version']);
  const own = { ...event, entityId: id, taskId: id, runId };
  const move = {
    fromState: 'FAILED',
    toState: 'OPEN',
    event: 'retry',
    transitionReason: 'retry',
    seq: version + 1,
  };
  const retry = { ...own, ...move, cause: { transitionReason: 'retry' } };
  return { id, version, retry, cancel: { ...own, seq: version + 2, cause: {} } };
}

it.each<[string, Partial<EventDraft>, string]>([
  ['leaves a gap behind the one before it', { seq: 99 }, 'BA002'],
  [
    'begins where the set began',
    { fromState: 'FAILED', toState: 'OPEN', event: 'retry', transitionReason: 'retry' },
    'BA001',
  ],
  ['is the one before it again', { seq: -1 }, 'BA002'],
])('writes no set of changes of which a later one %s', async (_, wrong, why) => {
  const { id, version, retry, cancel } = await failedTask();
  const seq = wrong.seq === -1 ? version + 1 : (wrong.seq ?? cancel.seq);
  const cause = wrong.transitionReason === 'retry' ? {} : cancel.cause;
  const later = { ...cancel, ...wrong, seq, ...(cause && { cause }) };
  const before = (await held.store.tasks.history({ entityId: id, machine: 'task' })).length;
  expect(await answerTo({ events: [retry, later], tasks: [{ id, version, patch: {} }] })).toBe(why);
  expect(await held.store.tasks.history({ entityId: id, machine: 'task' })).toHaveLength(before);
});

it('writes no set of changes of which a later one begins elsewhere than the one before it ended', async () => {
  const { id, version, retry, cancel } = await failedTask();
  const wrong = { fromState: 'BLOCKED', toState: 'OPEN', event: 'unblock', transitionReason: null };
  const events = [retry, { ...cancel, ...wrong }];
  expect(await answerTo({ events, tasks: [{ id, version, patch: {} }] })).toBe('BA002');
});

it.each<[string, string, (session: { runId: string; id: string }) => Partial<EventDraft>[]]>([
  [
    'in a later state',
    'stale',
    () => [
      {
        machine: 'agent',
        seq: 0,
        fromState: 'working',
        toState: 'idle',
        event: 'task_finished',
        kind: 'move',
      },
    ],
  ],
  [
    'with a number after its creation',
    'BA001',
    () => [
      { machine: 'agent', seq: 1, fromState: null, toState: 'starting', event: 'created', kind: 'created' },
    ],
  ],
])('lets no machine begin %s', async (_, why, given) => {
  const { event } = await openTask();
  const { runId } = await held.flow.open([draft('b')]);
  const { sessionId } = await held.flow.claim(runId);
  const own = { ...event, runId, taskId: null, entityId: sessionId, transitionReason: null, cause: {} };
  const events = given({ runId, id: sessionId }).map((more) => ({ ...own, ...more }));
  const sessions = [{ id: sessionId, statusSeq: -1, executionSeq: 0, patch: {} }];
  expect(await answerTo({ events, sessions })).toBe(why);
  expect(await held.store.tasks.history({ entityId: sessionId })).toEqual([]);
});

it('writes no change whose entity is not set from it', async () => {
  const { event } = await openTask();
  expect(await answerTo({ events: [event] })).toBe('BA002');
});

it('writes the changes of one entity in their order, each continuing the one before', async () => {
  const { id, version, retry, cancel } = await failedTask();
  const { event: beside } = await openTask();
  const [tasks, later] = [[{ id, version, patch: {} }], { id: beside.entityId, version: 1, patch: {} }];
  const events = [retry, { ...beside, cause: {} }, cancel];
  expect(await answerTo({ events, tasks: [...tasks, later] })).toBe('done');
  const history = await held.store.tasks.history({ entityId: id, machine: 'task' });
  expect(history.slice(-2).map(({ seq, to }) => `${seq - version} ${to}`)).toEqual(['1 OPEN', '2 CANCELLED']);
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('closes no task that has not landed', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const { tasks } = await held.flow.finish(runId);
  const id = tasks[0]?.task.id ?? '';
  const [row] = await held.sql('SELECT version FROM task WHERE id = $1', [id]);
  const version = Number(row?.['version']);
  const [attempt] = await held.sql('SELECT id, fence, turn_seq FROM attempt WHERE task_id = $1', [id]);
  const { event } = await openTask();
  const own = { ...event, taskId: id, runId, transitionReason: null, cause: {} };
  const turn = (from: string, to: string, name: string, at: number) => ({
    ...own,
    ...{
      machine: 'turn' as const,
      entityId: String(attempt?.['id']),
      seq: Number(attempt?.['turn_seq']) + at,
    },
    ...{ fromState: from, toState: to, event: name },
  });
  const close = { fromState: 'DONE', toState: 'CLOSED', event: 'verify_pass', seq: version + 1 };
  const events = [
    { ...own, ...close, entityId: id, transitionReason: 'completed' },
    turn('VERIFYING', 'COMPLETING', 'task_completed', 1),
    turn('COMPLETING', 'REAPED', 'agent_reaped', 2),
  ];
  const attempts = [
    {
      id: String(attempt?.['id']),
      fence: Number(attempt?.['fence']),
      turnSeq: Number(attempt?.['turn_seq']),
      patch: {},
    },
  ];
  expect(await answerTo({ events, tasks: [{ id, version, patch: {} }], attempts })).toBe('BA003');
});

it('lets no statement write past the functions that check what they write', async () => {
  const { id, event } = await openTask();
  const creation = `INSERT INTO change (step, run_id, tasks, task_seq, actor, reason)
    VALUES (baton_step('task||created||OPEN|created||'), $2, ARRAY[$1]::uuid[], 0, 'x', 'x')`;
  await expect(held.sql(creation, [id, event.runId])).rejects.toMatchObject({ code: 'BA001' });
  const tasks = `SELECT baton_add_tasks(jsonb_build_array(to_jsonb(t) || '{"id":"${db.ids.uuid()}","key":"other","status":"PLANNED"}'), '[]',
    '{"actor":"x","reason":"x"}') FROM task t WHERE t.id = $1`;
  await expect(held.sql(tasks, [id])).rejects.toMatchObject({ code: 'BA001' });
  expect(await held.store.tasks.history({ entityId: id, machine: 'task' })).toHaveLength(2);
});
