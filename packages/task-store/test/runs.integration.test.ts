import { expect, it } from 'vitest';
import { BatonError } from '@baton/contracts';
import { by, draft, request, runDraft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const code = (expected: string) => (error: unknown) => BatonError.is(error) && error.code === expected;

it('creates a run with its tasks, edges, budget and pinned gates in one piece', async () => {
  const gates = [{ name: 'tests', command: ['npm', 'test'] as string[], required: true, timeout: 600_000 }];
  const { run, tasks } = await held.store.runs.create(
    runDraft([draft('a'), draft('b', { dependsOn: ['a'], agent: { command: ['true'] } })], {
      gates,
      budgetMicroUsd: 5,
    }),
    by,
  );
  expect(run).toMatchObject({
    status: 'running',
    gates,
    budgetMicroUsd: 5,
    spentMicroUsd: 0,
    finishedAt: null,
  });
  expect(tasks[1]).toMatchObject({
    status: 'PLANNED',
    pendingDependencies: 1,
    agent: { command: ['true'] },
    version: 0,
  });
  expect(await held.store.tasks.dependencies(run.id)).toEqual([
    { taskId: tasks[1]?.id, dependsOnId: tasks[0]?.id },
  ]);
  expect(await held.store.runs.repo(run.repoId)).toEqual({ id: run.repoId, location: '/repo', host: 'here' });
  expect(await held.store.tasks.explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'plan_approval' });
});

it('refuses cycles by name, unknown dependencies, double keys and a slug in use', async () => {
  const cycle = runDraft([
    draft('a', { dependsOn: ['c'] }),
    draft('b', { dependsOn: ['a'] }),
    draft('c', { dependsOn: ['b'] }),
  ]);
  await expect(held.store.runs.create(cycle, by)).rejects.toThrow('a → c → b → a');
  await expect(held.store.runs.create(cycle, by)).rejects.toSatisfy(code('DEPENDENCY_CYCLE'));
  await expect(held.store.runs.create(runDraft([draft('a', { dependsOn: ['nobody'] })]), by)).rejects.toThrow(
    '"nobody"',
  );
  await expect(held.store.runs.create(runDraft([draft('a'), draft('a')]), by)).rejects.toSatisfy(
    code('INVALID_INPUT'),
  );
  const taken = runDraft([draft('a')]);
  await held.store.runs.create(taken, by);
  await expect(held.store.runs.create(taken, by)).rejects.toSatisfy(code('CONFLICT'));
});

it('creates once for one command, and pins a base once', async () => {
  const wanted = runDraft([draft('a')], { baseCommit: null });
  const command = { ...by, commandId: 'create-1' };
  const [first, second] = await Promise.all([
    held.store.runs.create(wanted, command),
    held.store.runs.create(wanted, command),
  ]);
  expect(second.run.id).toBe(first.run.id);
  const pinned = await Promise.all(
    ['1'.repeat(40), '2'.repeat(40)].map((commit) => held.store.runs.pinBase(first.run.id, commit)),
  );
  expect(new Set(pinned).size).toBe(1);
  expect((await held.store.runs.get(first.run.id))?.baseCommit).toBe(pinned[0]);
});

it('finds runs and tasks by what people type', async () => {
  const { run, tasks } = await held.store.runs.create(
    runDraft([draft('findable')], { slug: 'tidy-7k2f' }),
    by,
  );
  await held.store.runs.create(runDraft([draft('findable')], { slug: 'tidy-9x' }), by);
  expect((await held.store.runs.find('tidy-7')).id).toBe(run.id);
  expect((await held.store.runs.find(run.id)).slug).toBe('tidy-7k2f');
  await expect(held.store.runs.find('tidy')).rejects.toSatisfy(code('AMBIGUOUS'));
  await expect(held.store.runs.find('t%')).rejects.toSatisfy(code('NOT_FOUND'));
  const id = tasks[0]?.id ?? '';
  expect((await held.store.tasks.find('tidy-7k2f/findable')).id).toBe(id);
  expect((await held.store.tasks.find(id.slice(-12))).id).toBe(id);
  expect((await held.store.tasks.find('findable', { runId: run.id })).id).toBe(id);
  expect((await held.store.tasks.find('findable')).runId).not.toBe(run.id);
  await expect(held.store.tasks.find('nothing-like-it')).rejects.toSatisfy(code('NOT_FOUND'));
});

it('pages through tasks and runs without losing or repeating one', async () => {
  const { run } = await held.store.runs.create(
    runDraft(Array.from({ length: 25 }, (_, n) => draft(`p${n}`))),
    by,
  );
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await held.store.tasks.list({
      runId: run.id,
      limit: 10,
      ...(cursor === undefined ? {} : { cursor }),
    });
    seen.push(...page.items.map((task) => task.key));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `p${n}`));
  await expect(held.store.tasks.list({ cursor: 'made up' })).rejects.toSatisfy(code('INVALID_INPUT'));
  const runs = await held.store.runs.list({ limit: 1 });
  expect(runs.items[0]?.id).toBe(run.id);
  expect((await held.store.runs.list({ limit: 1, cursor: runs.nextCursor ?? '' })).items[0]?.id).not.toBe(
    run.id,
  );
});

it('adds tasks to a run that was done, once per idempotency key', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  expect(await held.store.runs.settle(runId)).toMatchObject({ status: 'done' });
  const more = { ...by, drafts: [draft('b', { dependsOn: ['a'], idempotencyKey: 'once' })], planned: false };
  const [added] = await held.store.tasks.add(runId, more);
  expect(added).toMatchObject({ status: 'OPEN', pendingDependencies: 0 });
  expect((await held.store.runs.get(runId))?.status).toBe('running');
  expect((await held.store.tasks.add(runId, more)).map((task) => task.id)).toEqual([added?.id]);
  const outside = { kind: 'trigger', by: 'issue', trusted: false } as const;
  const [planned] = await held.store.tasks.add(runId, {
    ...by,
    drafts: [draft('c', { source: outside })],
    planned: false,
  });
  expect(planned?.status).toBe('PLANNED');
});

it('computes waiting, stuck, failed, cancelled and done from the tasks', async () => {
  const planned = await held.store.runs.create(runDraft([draft('a')]), by);
  expect(await held.store.runs.settle(planned.run.id)).toMatchObject({
    status: 'waiting',
    statusReason: 'waits for a person: a',
  });
  await held.store.runs.rejectPlan(planned.run.id, by);
  expect((await held.store.runs.settle(planned.run.id)).status).toBe('cancelled');

  const { runId } = await held.flow.open([
    draft('a', { maxRetries: 0, scope: 'large' }),
    draft('b', { dependsOn: ['a'] }),
  ]);
  const claim = await held.flow.claim(runId);
  expect((await held.store.runs.settle(runId)).status).toBe('running');
  await held.flow.tell({
    fact: 'setup_failed',
    holding: holding(claim),
    reason: 'no disk',
    retry: false,
    counted: true,
  });
  expect(await held.store.runs.settle(runId)).toMatchObject({ status: 'stuck', finishedAt: null });
  const waiting = await held.store.tasks.find('b', { runId });
  expect(await held.store.tasks.explain(waiting.id)).toMatchObject({
    cause: 'dependency_failed',
    owner: 'a person',
  });
  await held.store.tasks.cancel(waiting.id, by);
  const failed = await held.store.runs.settle(runId);
  expect(failed).toMatchObject({ status: 'failed', statusReason: 'failed: a' });
  expect(failed.finishedAt).not.toBeNull();
  // It was given up by a person: nothing of it is left to go on with.
  await held.store.tasks.cancel(claim.tasks[0]?.task.id ?? '', by);
  expect((await held.store.runs.get(runId))?.status).toBe('failed');
  await expect(held.store.runs.resume(runId, by)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('fails a run before any work and leaves its tasks as they are, unclaimable', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  expect(await held.store.runs.fail(runId, { actor: 'worker:w1', reason: 'the base is red' })).toMatchObject({
    status: 'failed',
    statusReason: 'the base is red',
  });
  expect((await held.store.tasks.get(tasks[0]?.id ?? ''))?.status).toBe('OPEN');
  expect(await held.store.claims.claimBatch(request({ runId }))).toBeNull();
  expect((await held.store.runs.settle(runId)).status).toBe('failed');
  const history = await held.store.tasks.history({ machine: 'run', entityId: runId });
  expect(history.map((event) => [event.event, event.to])).toEqual([
    ['created', 'running'],
    ['fail', 'failed'],
  ]);
});

it('keeps the base verdict of a run, for the checks and the set-up that it was given with', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  expect(await held.store.runs.baseVerdict(runId)).toBeNull();
  const verdict = {
    tree: 't',
    passed: false,
    checks: 'gates' as const,
    results: [],
    reasons: ['tests are red'],
    durationMs: 3,
  };
  await held.store.runs.saveBaseVerdict(runId, { verdict, checksHash: 'with this set-up' });
  expect(await held.store.runs.baseVerdict(runId)).toEqual(verdict);
  expect(await held.store.runs.baseVerdict(runId, 'with this set-up')).toEqual(verdict);
  expect(await held.store.runs.baseVerdict(runId, 'with another')).toBeNull();
});

it('resumes a run that failed with tasks left, and none that ended', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  await held.store.runs.fail(runId, { ...by, reason: 'the base is red' });
  expect((await held.store.runs.resume(runId, by)).status).toBe('running');
  await held.store.tasks.cancel(tasks[0]?.id ?? '', by);
  await held.store.runs.settle(runId);
  await expect(held.store.runs.resume(runId, by)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('changes base, set-up and allowed gates of a paused run, and forgets what the base was judged to be', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const [baseCommit, workspace] = ['7'.repeat(40), { symlink: ['node_modules'] } as never];
  await expect(held.store.runs.amend(runId, { baseCommit })).rejects.toMatchObject({ code: 'CONFLICT' });
  await held.store.runs.pause(runId, { ...by, reason: 'BASE_RED: tests' });
  await held.store.runs.saveBaseVerdict(runId, {
    checksHash: 'h',
    verdict: { tree: 't', passed: false, checks: 'gates', results: [], reasons: ['red'], durationMs: 1 },
  });
  expect(
    await held.store.runs.amend(runId, { baseCommit, workspace, allowRed: ['lint', 'lint'] }),
  ).toMatchObject({
    status: 'paused',
    baseCommit,
    workspace: { symlink: ['node_modules'] },
    allowRed: ['lint'],
  });
  expect(await held.store.runs.baseVerdict(runId)).toBeNull();
  expect(await held.store.runs.amend(runId, { allowRed: ['tests'] })).toMatchObject({
    ...{ baseCommit, allowRed: ['lint', 'tests'] },
  });
});

it('names of a task that waits the one at the root of the chain, and who moves that', async () => {
  const { runId } = await held.flow.open(
    [
      draft('a'),
      draft('b', { dependsOn: ['a'] }),
      draft('c', { dependsOn: ['b'] }),
      draft('d', { dependsOn: ['b', 'c'] }),
    ],
    { batchSize: 1 },
  );
  const explained = async (key: string) =>
    held.store.tasks.explain((await held.store.tasks.find(key, { runId })).id);
  expect(await explained('a')).toMatchObject({ root: null });
  expect(await explained('d')).toMatchObject({ cause: 'dependency', root: { key: 'a' } });
  const claimed = await held.flow.claim(runId);
  await held.flow.tell({
    ...{ fact: 'blocked', holding: holding(claimed) },
    ...{ on: { text: 'needs a key' }, reason: 'needs a key' },
  });
  expect(await explained('c')).toMatchObject({
    cause: 'dependency',
    text: 'c waits for b.',
    root: { key: 'a', cause: 'blocked', text: 'needs a key', owner: 'a person' },
  });
});

it('waits once its plan is, as upkeep sees; approved, it runs', async () => {
  const { run, tasks } = await held.store.runs.create(
    runDraft([draft('planned'), draft('after', { dependsOn: ['planned'] })]),
    by,
  );
  await held.store.claims.sweep({ actor: 'test' });
  expect(await held.store.runs.get(run.id)).toMatchObject({
    status: 'waiting',
    statusReason: 'waits for a person: planned, after',
  });
  await held.store.runs.approvePlan(run.id, { ...by, taskIds: [tasks[0]?.id ?? ''] });
  await held.store.claims.sweep({ actor: 'test' });
  expect((await held.store.runs.get(run.id))?.status).toBe('running');
  const claim = await held.store.claims.claimBatch(request({ runId: run.id }));
  expect(claim?.tasks.map(({ task }) => task.key)).toEqual(['planned']);
});

it('does not undo, by a repeated pause, the resume that came after the first, nor refuses it once the run has ended', async () => {
  const { run } = await held.store.runs.create(runDraft([draft('a')]), by);
  await held.store.runs.approvePlan(run.id, by);
  const pause = { ...by, commandId: 'pause-once' };
  await held.store.runs.pause(run.id, pause);
  await held.store.runs.resume(run.id, by);
  expect(await held.store.runs.pause(run.id, pause)).toMatchObject({ status: 'running' });
  await held.store.runs.cancel(run.id, by);
  expect(await held.store.runs.pause(run.id, pause)).toMatchObject({ status: 'cancelled' });
});
