import { expect, it } from 'vitest';
import { by, draft, request, runDraft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const explain = (id: string) => held.store.tasks.explain(id);
const node = { pid: 7, pidStarted: '1', bootId: 'b', capacity: 2, version: '0.0.0', host: 'here' };
const worker = (id: string, labels: string[] = []) =>
  held.store.workers.register({ ...node, id, name: id, labels, runId: null });

const blocked = { fact: 'blocked', on: { text: 'I need a key.' }, reason: 'asked' } as const;

/** A run with one task, whose first try has ended with an outcome that waits for long. */
async function waiting(
  outcome: 'rate_limited' | 'agent_failed',
  { labels = [], budgetMicroUsd = null }: { labels?: string[]; budgetMicroUsd?: number | null } = {},
) {
  const { runId, tasks } = await held.flow.open([draft('a', { labels })], { budgetMicroUsd });
  const id = tasks[0]?.id ?? '';
  const claim = await held.store.claims.claimBatch(
    request({ runId, capabilities: { host: 'here', labels } }),
  );
  if (claim === null) throw new Error('nothing was claimed');
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  await held.flow.tell({ fact: 'agent_failed', holding: holding(claim), reason: 'no', outcome });
  await held.sql(`UPDATE task SET not_before = now() + interval '5 hours', claimable = false WHERE id = $1`, [
    id,
  ]);
  const slug = (await held.store.runs.get(runId))?.slug ?? '';
  return { id, runId, slug, attemptId: holding(claim).attemptId };
}

it.each(['rate_limited', 'agent_failed'] as const)(
  'names the spent budget before the time that a task waits for after %s, as the run does',
  async (outcome) => {
    const { id, runId, slug } = await waiting(outcome, { budgetMicroUsd: 1_000_000 });
    await worker('rich');
    const waits = outcome === 'rate_limited' ? 'provider_parked' : 'not_before';
    expect(await explain(id)).toMatchObject({ cause: waits, also: [] });
    await held.sql('UPDATE budget SET spent_micro_usd = 990000, held = true WHERE run_id = $1', [runId]);
    expect((await held.store.runs.settle(runId)).status).toBe('waiting');
    expect(await explain(id)).toMatchObject({
      ...{ cause: 'budget', owner: 'a person', until: null, also: [waits] },
      unblock: `baton budget <usd> ${slug}`,
    });
    await held.store.runs.setBudget(runId, { ...by, capMicroUsd: 5_000_000 });
    expect(await explain(id)).toMatchObject({ cause: waits, also: [] });
  },
);

it('offers what asks a provider at once, however the try that waits for it ended', async () => {
  const { id, runId, slug } = await waiting('rate_limited');
  await worker('asks');
  expect(await explain(id)).toMatchObject({ cause: 'provider_parked', unblock: `baton resume ${slug}` });
  await held.store.runs.resume(runId, by);
  expect(await explain(id)).toMatchObject({ cause: 'ready', also: [] });
});

it('names that no worker has its labels before the time that it waits for, and the worker ends that', async () => {
  const { id, slug } = await waiting('agent_failed', { labels: ['gpu'] });
  await worker('plain');
  expect(await explain(id)).toMatchObject({
    ...{ cause: 'no_capable_worker', owner: 'a person', also: ['not_before'] },
    unblock: `start a worker with host here and labels gpu: baton run --resume ${slug}`,
  });
  await worker('able', ['gpu']);
  expect(await explain(id)).toMatchObject({ cause: 'not_before', also: [] });
});

it('names the time before reservations that others hold, which end sooner', async () => {
  const { id, runId } = await waiting('agent_failed', { budgetMicroUsd: 1_000_000 });
  await worker('poor');
  await held.sql('UPDATE budget SET reserved_micro_usd = 1000000 WHERE run_id = $1', [runId]);
  expect(await explain(id)).toMatchObject({ cause: 'not_before', also: ['budget'] });
  await held.sql('UPDATE budget SET reserved_micro_usd = 0 WHERE run_id = $1', [runId]);
});

it('names what holds up the part that a split task waits for, to the task that waits for that one as well', async () => {
  const { runId, tasks } = await held.flow.open([draft('whole'), draft('after', { dependsOn: ['whole'] })]);
  const claim = await held.flow.claim(runId);
  await held.flow.launch(claim);
  await held.flow.ready(claim);
  const children = [draft('part', { labels: ['tpu'] })];
  await held.flow.tell({ fact: 'decomposed', holding: holding(claim), children, reason: 'too big' });
  await worker('any');
  const [whole, after] = tasks.map(({ id }) => id);
  const part = (await held.store.tasks.list({ runId })).items.find(({ key }) => key.includes('part'));
  const root = {
    ...{ taskId: part?.id, cause: 'no_capable_worker', owner: 'a person' },
    unblock: expect.stringContaining('tpu') as string,
  };
  expect(await explain(whole ?? '')).toMatchObject({ cause: 'subtasks', root });
  expect(await explain(after ?? '')).toMatchObject({ cause: 'dependency', root });
  expect(await explain(part?.id ?? '')).toMatchObject({ cause: 'no_capable_worker', root: null });
});

it('says of a plan that waits in a paused run that the pause holds it up next', async () => {
  const { run, tasks } = await held.store.runs.create(runDraft([draft('a')]), by);
  await worker('waits');
  expect(await explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'plan_approval', also: [] });
  await held.store.runs.pause(run.id, by);
  expect(await explain(tasks[0]?.id ?? '')).toMatchObject({ cause: 'plan_approval', also: ['run_paused'] });
  await held.store.runs.approvePlan(run.id, by);
  expect(await explain(tasks[0]?.id ?? '')).toMatchObject({
    ...{ cause: 'run_paused', unblock: `baton resume ${run.slug}` },
  });
});

it('names the decision that a chain waits for before that no process is there, and one command that ends both', async () => {
  const { runId, tasks } = await held.flow.open([
    draft('first', { maxRetries: 0 }),
    draft('second', { dependsOn: ['first'] }),
    draft('third', { dependsOn: ['second'] }),
  ]);
  const [first = '', second = '', third = ''] = tasks.map(({ id }) => id);
  await held.sql(`UPDATE worker SET status = 'offline'`);
  const slug = (await held.store.runs.get(runId))?.slug ?? '';
  const carry = `baton run --resume ${slug}`;
  expect(await explain(third)).toMatchObject({ cause: 'not_carried', unblock: carry });
  const claim = await held.flow.working(runId);
  await held.flow.tell({ ...blocked, holding: holding(claim) });
  await held.flow.over(claim);
  const root = { taskId: first, cause: 'blocked', unblock: `baton retry ${slug}/first && ${carry}` };
  expect(await explain(third)).toMatchObject({
    ...{ cause: 'dependency', text: 'third waits for second.', also: ['not_carried'], root },
  });
  await held.store.tasks.unblock(first, by);
  expect(await explain(third)).toMatchObject({ cause: 'not_carried', root: { cause: 'not_carried' } });
  const again = await held.flow.working(runId);
  const failed = { fact: 'agent_failed', outcome: 'agent_failed', reason: 'red' } as const;
  await held.flow.tell({ ...failed, holding: holding(again) });
  await held.flow.over(again);
  expect(await explain(second)).toMatchObject({ cause: 'dependency_failed' });
  expect(await explain(third)).toMatchObject({ cause: 'dependency', root: { taskId: first } });
});

it('what a person frees in a paused run is offered with the command that resumes the run', async () => {
  const { runId, tasks } = await held.flow.open([draft('stuck'), draft('next', { dependsOn: ['stuck'] })]);
  await worker('present');
  const slug = (await held.store.runs.get(runId))?.slug ?? '';
  const claim = await held.flow.working(runId);
  await held.flow.tell({ ...blocked, holding: holding(claim) });
  const id = tasks[0]?.id ?? '';
  expect(await explain(id)).toMatchObject({ unblock: `baton retry ${slug}/stuck` });
  await held.store.runs.pause(runId, by);
  expect(await explain(id)).toMatchObject({
    ...{
      cause: 'blocked',
      unblock: `baton retry ${slug}/stuck && baton resume ${slug}`,
      also: ['run_paused'],
    },
  });
  await held.store.tasks.unblock(id, by);
  await held.store.runs.resume(runId, by);
  expect(await explain(id)).toMatchObject({ cause: 'ready', also: [] });
});
