import { expect, it } from 'vitest';
import type { Store } from '../src/index.ts';
import { testStore } from './support/store.ts';
import { claimTogether } from './support/together.ts';

const held = testStore();
const by = { actor: 'operator:ada', reason: 'try' };

it('completes a run and tasks of which only names are given, as a plan would', async () => {
  const { run, tasks } = await held.store.runs.create(
    { name: 'Tidy up!', tasks: [{ key: 'a' }, { key: 'b', title: 'Do b', dependsOn: ['a'] }] },
    by,
  );
  expect(run.slug).toMatch(/^tidy-up-[0-9a-z]{4}$/);
  expect(run).toMatchObject({
    ...{ target: `baton/${run.slug}`, batchSize: 3, trust: 'observe', createdBy: by.actor, baseCommit: null },
    ...{ gates: [], budgetMicroUsd: null, status: 'running' },
  });
  expect(await held.store.runs.repo(run.repoId)).toMatchObject({ location: 'none', host: null });
  const usual = {
    role: 'backend',
    scope: 'medium',
    complexity: 'medium',
    risk: 'low',
    priority: 2,
    maxRetries: 3,
  };
  const source = { kind: 'api', by: by.actor, trusted: true };
  expect(tasks).toMatchObject([
    { key: 'a', title: 'a', goal: 'a', status: 'PLANNED', source, ...usual },
    { key: 'b', title: 'Do b', goal: 'Do b', pendingDependencies: 1 },
  ]);
  const [added] = await held.store.tasks.add(run.id, { ...by, drafts: [{ key: 'c', role: 'docs' }] });
  expect(added).toMatchObject({ key: 'c', role: 'docs', status: 'OPEN', scope: 'medium', source });
});

it('keeps what was said already: a time limit is in milliseconds, and a source that is not trusted stays so', async () => {
  const source = { kind: 'api', by: 'mail', trusted: false } as const;
  const gate = { name: 'test', command: ['npm', 'test'] as [string, ...string[]], timeout: 5_000 };
  const made = await held.store.runs.create(
    { name: 'timed', gates: [gate], workspace: { setup_timeout: 7_000 }, tasks: [{ key: 'a', source }] },
    by,
  );
  expect(made.run).toMatchObject({ gates: [{ timeout: 5_000 }], workspace: { setup_timeout: 7_000 } });
  expect(made.tasks).toMatchObject([{ source, status: 'PLANNED' }]);
});

it('claims one task for two minutes on any host where only the worker is named', async () => {
  const { run } = await held.store.runs.create({ name: 'free', tasks: [{ key: 'a' }, { key: 'b' }] }, by);
  await held.store.runs.approvePlan(run.id, by);
  const claim = await held.store.claims.claimBatch({ workerId: 'w1', runId: run.id });
  expect(claim?.tasks.map(({ task }) => task.key)).toEqual(['a']);
  const left = (claim?.tasks[0]?.attempt.leaseExpiresAt?.getTime() ?? 0) - Date.now();
  expect(left).toBeGreaterThan(60_000);
  expect(left).toBeLessThan(130_000);
  const many = await claimTogether(held.store, { workerId: 'w1', runId: run.id }, 5);
  expect(many).toHaveLength(1);
});

it('lets no work of another host be claimed by a worker that names none', async () => {
  const repo = { location: '/repo', host: 'build-1' };
  const { run } = await held.store.runs.create({ name: 'bound', repo, tasks: [{ key: 'a' }] }, by);
  await held.store.runs.approvePlan(run.id, by);
  expect(await held.store.claims.claimBatch({ workerId: 'w1', runId: run.id })).toBeNull();
  const capabilities = { host: 'build-1' };
  expect(await held.store.claims.claimBatch({ workerId: 'w1', runId: run.id, capabilities })).not.toBeNull();
});

const holding = { attemptId: '00000000-0000-7000-8000-000000000000', fence: 1 };

/** Calls that no type checker saw, and what they are told. */
const wrong: [string, (store: Store, no: never) => Promise<unknown>, RegExp][] = [
  ['a run of nothing', (s, no) => s.runs.create(no, by), /`store\.runs\.create` .*argument 1/],
  ['a run without a name', (s) => s.runs.create({ tasks: [] } as never, by), /name: /],
  [
    'an unknown key',
    (s) => s.runs.create({ name: 'a', tasks: [], budget: 5 } as never, by),
    /unknown key "budget"/,
  ],
  ['a wrong task', (s) => s.runs.create({ name: 'a', tasks: [{ key: 'a b' }] }, by), /tasks\.0\.key: /],
  [
    'an unknown key of a task',
    (s) => s.runs.create({ name: 'a', tasks: [{ key: 'a', depends_on: [] }] } as never, by),
    /tasks\.0\.depends_on: unknown key/,
  ],
  ['a run by nobody', (s, no) => s.runs.create({ name: 'a', tasks: [] }, no), /argument 2 of 2/],
  ['tasks by nobody', (s) => s.tasks.add('r', { drafts: [{ key: 'a' }] } as never), /`actor` is missing/],
  ['no tasks', (s) => s.tasks.add('r', { ...by } as never), /A task is not valid/],
  ['no claim', (s) => s.claims.claimBatch({} as never), /No worker is named/],
  [
    'a lease without end',
    (s) => s.claims.claimBatch({ workerId: 'w', leaseMs: Infinity }),
    /A lease is 1 ms to 24 hours/,
  ],
  ['a lease of no number', (s) => s.claims.claimTask('t', { workerId: 'w', leaseMs: NaN }), /A lease is/],
  ['half a task', (s) => s.claims.claimBatch({ workerId: 'w', maxTasks: 1.5 }), /A batch holds 1 to 3 tasks/],
  [
    'labels that are text',
    (s) => s.claims.claimTask('t', { workerId: 'w', capabilities: { labels: 'gpu' } } as never),
    /another shape/,
  ],
  ['no fact', (s, no) => s.claims.record(no, by), /`store\.claims\.record` .*argument 1/],
  [
    'an unknown fact',
    (s) => s.claims.record({ fact: 'finished', holding } as never, by),
    /no fact "finished"/,
  ],
  [
    'a fact of nothing',
    (s) => s.claims.record({ fact: 'done' } as never, by),
    /"done" does not say what it is about: `holding`/,
  ],
  [
    'a fact without a fence',
    (s) => s.claims.record({ fact: 'ready', holding: { attemptId: 'a' } } as never, by),
    /`holding`/,
  ],
  [
    'a start of nothing',
    (s) => s.claims.record({ fact: 'launched', holdings: [] } as never, by),
    /`holdings`/,
  ],
  ['an end of no session', (s) => s.claims.record({ fact: 'batch_over' } as never, by), /`sessionId`/],
  [
    'a report by nobody',
    (s) => s.claims.recordAll([{ fact: 'tool_started', holding }], {} as never),
    /`actor` is missing/,
  ],
];

it.each(wrong)('refuses %s in words, with the way out', async (_, call, said) => {
  const refused: unknown = await call(held.store, undefined as never).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(said) as string });
});
