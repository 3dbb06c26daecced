import { expect, it } from 'vitest';
import { draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const node = {
  pid: 7,
  pidStarted: '1',
  bootId: 'b',
  capacity: 2,
  version: '0.0.0',
  labels: [],
  host: 'here',
};

async function worker(id: string, runId: string | null): Promise<void> {
  await held.store.workers.register({ ...node, id, name: id, runId });
}

const silence = (id: string) =>
  held.sql(`UPDATE worker SET heartbeat_at = now() - interval '31 seconds' WHERE id = $1`, [id]);

it('names the dead process and the command, with its host where that is another, as soon as its death is known, at whatever a task was', async () => {
  const { runId, tasks } = await held.flow.open([draft('a'), draft('b', { dependsOn: ['a'] })]);
  await worker('w1', runId);
  await held.flow.claim(runId);
  const slug = (await held.store.runs.get(runId))?.slug;
  for (const { id } of tasks) {
    expect((await held.store.tasks.explain(id)).cause).not.toBe('not_carried');
    expect(await held.store.tasks.explain(id, { there: [], gone: ['w1'] })).toMatchObject({
      cause: 'not_carried',
      owner: 'a person',
      until: null,
      unblock: `baton run --resume ${slug}`,
      text: `No process carries ${slug} out: worker w1 (process 7 on here) has ended.`,
    });
    const unblockOn = async (host: string) =>
      (await held.store.tasks.explain(id, { there: [], gone: ['w1'], host })).unblock;
    expect(await unblockOn('here')).toBe(`baton run --resume ${slug}`);
    expect(await unblockOn('renamed')).toBe(`baton run --resume ${slug} # on host here`);
  }
});

it('takes a worker of a host that gives no sign for 30 seconds for dead, unless its process is seen', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  await worker('w2', runId);
  await silence('w2');
  const id = tasks[0]?.id ?? '';
  expect((await held.store.tasks.explain(id)).text).toMatch(/worker w2 .* has given no sign since/);
  expect(await held.store.tasks.explain(id, { there: ['w2'], gone: [] })).toMatchObject({ cause: 'ready' });
});

it('does not count the worker of another run, and counts one that is narrowed to none', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const other = await held.flow.open([draft('a')]);
  await worker('w3', other.runId);
  const id = tasks[0]?.id ?? '';
  expect(await held.store.tasks.explain(id)).toMatchObject({ cause: 'not_carried' });
  await worker('w4', null);
  expect(await held.store.tasks.explain(id)).toMatchObject({ cause: 'ready' });
  await held.store.workers.setStatus('w4', 'offline', { actor: 'w4', reason: 'it ended' });
  expect(await held.store.tasks.explain(id)).toMatchObject({ cause: 'not_carried' });
  expect(runId).not.toBe(other.runId);
});

it('keeps why a process died with the attempt that it held, and says that instead of the outcome', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  await worker('w5', null);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.tell({
    fact: 'process_died',
    sessionId: claim.sessionId,
    exitCode: 137,
    abortReason: 'oom',
    reason: 'the agent was ended by SIGKILL.',
  });
  const id = tasks[0]?.id ?? '';
  const [attempt] = await held.store.tasks.attempts(id);
  expect(attempt).toMatchObject({ id: holding(claim).attemptId, summary: 'the agent was ended by SIGKILL.' });
  const orphans = await held.store.claims.takeOrphans({ workerId: 'w5', host: 'here', leaseMs: 60_000 });
  const [orphan] = orphans;
  if (orphan === undefined) throw new Error('there is no orphan');
  const taken = { attemptId: orphan.attempt.id, fence: orphan.attempt.fence };
  await held.flow.tell({ fact: 'orphan_settled', holding: taken, to: 'FAILED', reason: 'looked through' });
  expect((await held.store.tasks.explain(id)).text).toContain('(last: the agent was ended by SIGKILL)');
});

it('names `baton up` for the standing run of a rule, resumed first where it is paused, and the repository of a run elsewhere', async () => {
  const [ofPlan] = (await held.flow.open([draft('a')])).tasks;
  const repo = { location: "/it's", host: 'here' };
  const source = { kind: 'trigger', by: 'watch', trusted: true } as const;
  const event = { source: 'webhook', deliveryId: '1', kind: 'any', receivedAt: '2026-01-01T00:00:00Z' };
  const match = {
    ...{ rule: 'watch', repo, target: 'baton/trigger-watch', baseCommit: null, planned: false },
    draft: draft('w', { source }),
  };
  const { taskIds } = await held.store.inbox.accept({
    event: { ...event, sender: null, trusted: true, data: {} },
    matches: [match],
  });
  const { id: runId } = await held.store.runs.find('trigger-watch');
  await worker('w6', runId);
  const gone = { there: [], gone: ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'], here: '/somewhere', host: 'here' };
  const unblockOf = async (id = '', known: object = {}) =>
    (await held.store.tasks.explain(id, { ...gone, ...known })).unblock;
  expect(await unblockOf(taskIds[0])).toBe('baton up');
  await held.store.runs.pause(runId, { actor: 'test', reason: 'test' });
  expect(await unblockOf(taskIds[0])).toBe('baton resume trigger-watch && baton up');
  const moved = 'TARGET_MOVED: It was moved. Bring it back with `git branch x y`, then `baton up`.';
  await held.store.runs.resume(runId, { actor: 'test', reason: 'test' });
  await held.store.runs.pause(runId, { actor: 'test', reason: moved });
  expect(await unblockOf(taskIds[0])).toBe('git branch x y && baton resume trigger-watch && baton up');
  await worker('w7', null);
  expect(await unblockOf(taskIds[0])).toBe('git branch x y && baton resume trigger-watch');
  await held.store.workers.setStatus('w7', 'offline', { actor: 'w7', reason: 'it ended' });

  const { slug } = (await held.store.runs.get(ofPlan?.runId ?? '')) ?? { slug: '' };
  expect(await unblockOf(ofPlan?.id)).toBe(`baton run --resume ${slug} --repo /repo`);
  expect(await unblockOf(ofPlan?.id, { ownStore: true })).toBe('baton up');
});
