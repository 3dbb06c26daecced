import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../src/apply/apply.ts';
import type { Change } from '../src/decide/change.ts';
import { queryOne, type Db } from '../src/db/query.ts';
import { openDb } from '../src/open.ts';
import { situationOfSession } from '../src/apply/load-situation.sql.ts';
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

it.each<[string, string[], (now: AtWork) => unknown[]]>([
  [
    'session',
    [
      'session_ids',
      'session_status_seqs',
      'session_execution_seqs',
      ...['session_status_first', 'session_status_at', 'session_execution_first', 'session_execution_at'],
    ],
    ({ session }) => [session.id, session.statusSeq, session.executionSeq, 1, 1, 0, 0],
  ],
  [
    'task',
    ['task_ids', 'task_versions', 'task_fences', 'task_first', 'task_at'],
    ({ task }) => [task.id, task.version, task.fence, 1, 1],
  ],
  [
    'attempt',
    ['attempt_ids', 'attempt_fences', 'attempt_seqs', 'attempt_tools', 'attempt_first', 'attempt_at'],
    ({ attempt }) => [attempt.id, attempt.fence, attempt.turnSeq, attempt.openTools, 1, 1],
  ],
])('sets no %s from the change of something else', async (table, columns, row) => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id;
  const given = {
    steps: 'task|OPEN|cancel||CANCELLED|move||aborted',
    runs: runId,
    tasks: id,
    task_seqs: 2,
  };
  const events = { ...given, attempts: null, sessions: null, actors: 'x', reasons: 'x' };
  const names = [...Object.keys(events), ...columns, `${table}_patches`];
  const values = [...Object.values(events), ...row(await atWork()), {}];
  const request = Object.fromEntries(names.map((name, at) => [name, [values[at]]]));
  await expect(
    held.sql('SELECT baton_change(jsonb_populate_record(NULL::change_request, $1::jsonb))', [
      JSON.stringify(request),
    ]),
  ).rejects.toMatchObject({ code: 'BA002' });
});

it('carries a command out once, however often it comes', async () => {
  const now = await atWork();
  const { id, fence } = now.attempt;
  const fact = { fact: 'tool_started', holding: { attemptId: id, fence } } as const;
  const by = { actor: 'worker:w1', commandId: `tool-${id}` };
  const [first, second] = [
    await held.store.claims.record(fact, by),
    await held.store.claims.record(fact, by),
  ];
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(await held.sql('SELECT open_tools FROM attempt WHERE id = $1', [id])).toEqual([{ open_tools: 1 }]);
  const { commandId: _, ...another } = by;
  await held.store.claims.record(fact, another);
  expect(await held.sql('SELECT open_tools FROM attempt WHERE id = $1', [id])).toEqual([{ open_tools: 2 }]);
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
