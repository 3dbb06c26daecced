import { expect, it } from 'vitest';
import { by, draft, request, runDraft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const keysOf = (claim: { tasks: { task: { key: string } }[] } | null) =>
  claim?.tasks.map(({ task }) => task.key) ?? [];

it('keeps the same path of two hosts apart, and a remote one from both', async () => {
  const hosts = ['here', 'there', null, 'here', 'there', null];
  const repoIds: string[] = [];
  for (const host of hosts)
    repoIds.push(
      (await held.store.runs.create(runDraft([draft('a')], { repo: { location: '/same', host } }), by)).run
        .repoId,
    );
  expect(new Set(repoIds).size).toBe(3);
  expect(repoIds.slice(3)).toEqual(repoIds.slice(0, 3));
  const [here] = repoIds;
  const listed = await held.store.runs.list({ repoId: here ?? '', status: ['waiting', 'running'] });
  expect(listed.items.map(({ repoId }) => repoId)).toEqual([here, here]);
  expect((await held.store.runs.list({ repoId: here ?? '', status: ['done'] })).items).toEqual([]);
});

it('answers each sender with its own tasks, also where both use one number, and counts by rule', async () => {
  const deliver = (source: string, rule: string) =>
    held.store.inbox.accept({
      event: {
        ...{ source, deliveryId: 'd1', kind: 'k', receivedAt: '2026-01-01T00:00:00Z' },
        ...{ sender: null, trusted: true, data: {} },
      },
      matches: [
        {
          ...{ rule, repo: { location: '/repo', host: 'here' }, target: 'main', baseCommit: null },
          ...{ draft: draft(rule, { source: { kind: 'trigger', by: rule, trusted: true } }), planned: false },
        },
      ],
    });
  const [github, other] = [await deliver('github', 'triage'), await deliver('webhook', 'audit')];
  expect([github.duplicate, other.duplicate]).toEqual([false, false]);
  expect(await deliver('github', 'triage')).toEqual({ ...github, duplicate: true });
  expect(await deliver('webhook', 'audit')).toEqual({ ...other, duplicate: true });
  const made = async (rules: string[], reachMs: number) =>
    (await held.store.inbox.triggeredTasks({ rules, reachMs })).tasks
      .map(({ rule, settled }) => `${rule} ${settled}`)
      .sort();
  const [past, future] = [3_600_000, 0];
  expect(await made(['triage'], past)).toEqual(['triage false']);
  expect(await made(['triage', 'audit'], future)).toEqual(['audit false', 'triage false']);
  await held.store.tasks.cancel(github.taskIds[0] ?? '', by);
  expect(await made(['triage', 'audit'], future)).toEqual(['audit false']);
  expect(await made(['triage', 'audit'], past)).toEqual(['audit false', 'triage true']);
  await held.sql(`UPDATE task SET not_before = '2150-01-01' WHERE id = $1`, [github.taskIds[0]]);
  expect(await made(['triage'], future)).toEqual(['triage true']);
});

it.each([[1], [2]])(
  'gives its place back when it finds no money, and puts no task of another run to sleep (up to %s at once)',
  async (maxTasks) => {
    const cost = (key: string, maxCostMicroUsd: number) => draft(key, { maxCostMicroUsd, scope: 'large' });
    const rich = await held.flow.open([cost('rich', 900)], { budgetMicroUsd: 5000 });
    const tasks = [cost('a', 600), cost('b', 600), cost('c', 300), cost('d', 600)];
    const { runId } = await held.flow.open(tasks, { budgetMicroUsd: 1000, maxAgents: 2 });
    const ask = () => held.store.claims.claimBatch(request({ runId, maxTasks }));
    const first = await ask();
    expect([keysOf(first), keysOf(await ask()), keysOf(await ask())]).toEqual([['a'], ['c'], []]);
    expect(await held.store.audit.counts(rich.runId)).toMatchObject({ ready: 1 });
    expect(await held.store.claims.wake({ actor: 'sweeper' })).toBe(0);
    if (first) {
      await held.flow.tell({ fact: 'cancelled', holding: holding(first), reason: 'not wanted' });
      await held.flow.over(first);
    }
    expect(keysOf(await ask())).toEqual(['b']);
    expect(await held.store.runs.get(runId)).toMatchObject({ reservedMicroUsd: 900 });
    for (const each of [runId, rich.runId]) await held.store.runs.cancel(each, by);
  },
);

it('keeps every late report, however many came after the same move', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'handed back' });
  for (const fact of ['tool_started', 'tool_ended', 'compaction_started'] as const)
    expect(
      await held.store.claims.record({ fact, holding: holding(claim) }, { actor: 'worker:w1' }),
    ).toMatchObject({
      ok: false,
    });
  const history = await held.store.tasks.history({ entityId: tasks[0]?.id ?? '', machine: 'task' });
  expect(history.slice(-3).map(({ event, kind }) => [event, kind])).toEqual([
    ['tool_started', 'refused'],
    ['tool_ended', 'refused'],
    ['compaction_started', 'refused'],
  ]);
  expect((await held.store.audit.verify()).broken).toEqual([]);
});

it('lists sessions and attempts by all that is asked for together', async () => {
  const { runId } = await held.flow.open(['a', 'b', 'c'].map((key) => draft(key, { scope: 'large' })));
  const claim = (workerId: string, host: string) =>
    held.store.claims.claimBatch(request({ runId, workerId, capabilities: { host, labels: [] } }));
  const [one, two, three] = [await claim('w1', 'here'), await claim('w2', 'here'), await claim('w1', 'here')];
  if (three) {
    await held.flow.tell({ fact: 'cancelled', holding: holding(three), reason: 'not wanted' });
    await held.flow.over(three);
  }
  const ids = async (filter: Parameters<typeof held.store.tasks.sessions>[0]) =>
    (await held.store.tasks.sessions({ runId, ...filter })).map(({ id }) => id);
  expect(await ids({ workerId: 'w1' })).toEqual([one?.sessionId, three?.sessionId]);
  expect(await ids({ workerId: 'w1', live: true })).toEqual([one?.sessionId]);
  expect(await ids({ workerId: 'w1', live: false })).toEqual([three?.sessionId]);
  expect(await ids({ host: 'here', live: true })).toEqual([one?.sessionId, two?.sessionId]);
  expect(await ids({ host: 'elsewhere' })).toEqual([]);
  const attempts = async (filter: Parameters<typeof held.store.tasks.listAttempts>[0]) =>
    (await held.store.tasks.listAttempts({ runId, ...filter })).map(({ sessionId }) => sessionId);
  expect(await attempts({ open: true })).toEqual([one?.sessionId, two?.sessionId]);
  expect(await attempts({ open: false })).toEqual([three?.sessionId]);
  expect(await attempts({ sessionId: two?.sessionId ?? '', open: true })).toEqual([two?.sessionId]);
  const counts = await held.store.audit.counts(runId);
  expect(counts).toMatchObject({ total: 3, CLAIMED: 2, settled: 1, ready: 0 });
});

it('reads the feed of one run, page by page, whatever happened in others between', async () => {
  const [one, other] = [await held.flow.open([draft('a')]), await held.flow.open([draft('b')])];
  for (const { runId } of [one, other, one, other]) {
    const claim = await held.flow.claim(runId);
    await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'not now' });
  }
  while ((await held.store.feed.sequence()) > 0);
  const whole = await held.store.feed.read({ after: 0, limit: 100_000 });
  const expected = whole.filter(({ runId }) => runId === one.runId).map(({ position }) => position);
  const positions: (number | null)[] = [];
  for (let after = 0; ;) {
    const page = await held.store.feed.read({ after, limit: 3, runId: one.runId });
    positions.push(...page.map(({ position }) => position));
    if (page.length === 0) break;
    after = page.at(-1)?.position ?? 0;
  }
  expect(positions).toEqual(expected);
  expect(expected.length).toBeGreaterThan(6);
  expect(await held.store.feed.position()).toBe(whole.at(-1)?.position);
});
