import { expect, it } from 'vitest';
import { draft, request } from './support/builders.ts';
import { base, head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const actor = { actor: 'worker:w1' };

it('carries a batch of three through one session, each with its own range, and lands them in order', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b'), draft('c', { dependsOn: ['b'] })]);
  const claim = await held.flow.claim(runId, 3);
  await held.flow.launch(claim);
  await held.flow.ready(claim, 0);
  await held.flow.done(claim, 0);
  await held.flow.next(claim, 1);
  await held.flow.done(claim, 1);
  await held.flow.next(claim, 2);
  await held.flow.done(claim, 2);
  await held.flow.over(claim);
  expect(await held.flow.landAll(runId)).toEqual(['a', 'b', 'c']);
  expect((await held.store.runs.settle(runId)).status).toBe('done');
  const [session] = await held.store.tasks.sessions({ runId });
  expect(session).toMatchObject({ status: 'dead', executionState: 'stopped', exitCode: 0 });
  const attempts = await held.store.tasks.listAttempts({ runId });
  expect(attempts.map((attempt) => attempt.turnStatus)).toEqual(['REAPED', 'REAPED', 'REAPED']);
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('releases a dependent only when its dependency is landed, not when it is done', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('first', { scope: 'large' }),
    draft('then', { scope: 'large', dependsOn: ['first'] }),
  ]);
  await held.flow.finish(runId);
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  expect(await held.store.tasks.explain(tasks[1]?.id ?? '')).toMatchObject({
    cause: 'dependency',
    owner: 'task first',
  });
  expect(await held.flow.land(await held.flow.take(runId))).toMatchObject({ released: 1 });
  const claim = await held.flow.claim(runId);
  expect(claim.tasks[0]?.predecessors).toEqual([
    { key: 'first', title: 'first', summary: 'did it', landedCommit: head },
  ]);
});

it('keeps a late report, without effect', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.finish(runId);
  await held.flow.take(runId);
  const late = await held.store.claims.record({ fact: 'compaction_started', holding: holding(claim) }, actor);
  expect(late).toMatchObject({ ok: false, code: 'LEASE_LOST' });
  const history = await held.store.tasks.history({ entityId: tasks[0]?.id ?? '' });
  expect(history.at(-1)).toMatchObject({
    kind: 'late_report',
    event: 'compaction_started',
    from: 'DONE',
    to: 'DONE',
  });
  expect((await held.store.tasks.get(tasks[0]?.id ?? ''))?.status).toBe('DONE');
});

it('refuses a fact that has no row here, writes it down, and moves nothing', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const refused = await held.store.claims.record({ fact: 'tool_started', holding: holding(claim) }, actor);
  expect(refused).toMatchObject({ ok: false, code: 'ILLEGAL_TRANSITION' });
  expect((await held.store.tasks.history({ entityId: tasks[0]?.id ?? '' })).at(-1)).toMatchObject({
    kind: 'refused',
    event: 'tool_started',
  });
  const missing = { attemptId: '00000000-0000-7000-8000-000000000000', fence: 1 };
  expect(await held.store.claims.record({ fact: 'tool_started', holding: missing }, actor)).toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('gives one command one effect and the same answer', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  const fact = { fact: 'ready', holding: holding(claim), baseCommit: base, startCommit: base } as const;
  const command = { ...actor, commandId: `ready-${claim.sessionId}` };
  const answers = await Promise.all([
    held.store.claims.record(fact, command),
    held.store.claims.record(fact, command),
    held.store.claims.record(fact, command),
  ]);
  expect(answers).toEqual(Array(3).fill({ ok: true, taskStatus: 'IN_PROGRESS' }));
  const moves = (await held.store.tasks.history({ entityId: tasks[0]?.id ?? '' })).filter(
    (event) => event.kind === 'move',
  );
  expect(moves.map((event) => event.event)).toEqual(['approve', 'claim', 'start']);
});

it('counts parallel tool calls: the first start and the last end move the turn', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const turn = async () => (await held.store.tasks.listAttempts({ runId }))[0]?.turnStatus;
  const tell = (fact: 'tool_started' | 'tool_ended' | 'compaction_started' | 'compaction_ended') =>
    held.flow.tell({ fact, holding: holding(claim) });
  await tell('tool_started');
  await tell('tool_started');
  await tell('tool_ended');
  expect(await turn()).toBe('TOOL_USE');
  await tell('tool_ended');
  expect(await turn()).toBe('RUNNING');
  await tell('tool_started');
  await tell('compaction_started');
  expect(await turn()).toBe('COMPACTING');
  expect((await held.store.tasks.sessions({ runId }))[0]?.executionState).toBe('suspended');
  await tell('compaction_ended');
  await tell('tool_ended');
  expect(await turn()).toBe('RUNNING');
});

it('lets many reporters of one attempt race without losing or doubling a move', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const starts = await Promise.all(
    Array.from({ length: 6 }, () =>
      held.store.claims.record({ fact: 'tool_started', holding: holding(claim) }, actor),
    ),
  );
  expect(starts.every((outcome) => outcome.ok)).toBe(true);
  await Promise.all(
    Array.from({ length: 6 }, () =>
      held.store.claims.record({ fact: 'tool_ended', holding: holding(claim) }, actor),
    ),
  );
  expect((await held.store.tasks.listAttempts({ runId }))[0]?.turnStatus).toBe('RUNNING');
  expect(await held.store.audit.verify()).toMatchObject({ broken: [] });
});

it('closes a parent when all its children are landed, and verifies it without an agent', async () => {
  const { runId, tasks } = await held.flow.open([draft('parent')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const children = [draft('left'), draft('right')];
  await held.flow.tell({ fact: 'decomposed', holding: holding(claim), children, reason: 'too big' });
  await held.flow.over(claim);
  const parentId = tasks[0]?.id ?? '';
  expect(await held.store.tasks.explain(parentId)).toMatchObject({ cause: 'subtasks' });
  await held.flow.finish(runId);
  await held.flow.finish(runId);
  expect(await held.flow.landAll(runId)).toEqual(['left', 'right', 'parent']);
  expect(await held.store.tasks.get(parentId)).toMatchObject({ status: 'CLOSED', tries: 0 });
  expect(
    (await held.store.tasks.attempts(parentId)).map((attempt) => [attempt.outcome, attempt.turnStatus]),
  ).toEqual([
    ['decomposed', 'REAPED'],
    ['done', 'IDLE'],
  ]);
});
