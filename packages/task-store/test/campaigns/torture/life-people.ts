import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import { draft, runDraft } from '../../support/builders.ts';
import type { Run, Store, Task } from '../../../src/index.ts';
import { capMicroUsd, lifeRun } from './life-plan.ts';

const person = { actor: 'operator:tester', reason: 'a person said so' };

/** Finds the run of this name or makes it: a creation whose answer was lost is not made twice. */
async function runNamed(store: Store, slug: string, make: () => ReturnType<typeof lifeRun>): Promise<Run> {
  try {
    return await store.runs.find(slug);
  } catch (error) {
    if (!BatonError.is(error, 'NOT_FOUND')) throw error;
    return (await store.runs.create(make(), person)).run;
  }
}

/** What people, triggers and keys bring in; told again by every new process, and of effect once. */
export async function begin(store: Store): Promise<Run> {
  const run = await runNamed(store, 'life', lifeRun);
  const planned = (await tasksOf(store, run.id)).filter(({ status }) => status === 'PLANNED');
  const idOf = (wanted: (task: Task) => boolean) => planned.filter(wanted).map(({ id }) => id);
  await store.runs.rejectPlan(run.id, { ...person, taskIds: idOf(({ key }) => key === 'unwanted') });
  await store.runs.approvePlan(run.id, { ...person, taskIds: idOf(({ key }) => key !== 'unwanted') });
  await store.runs.pinBase(run.id, 'b'.repeat(40));
  const verdict = {
    tree: 't',
    passed: true,
    checks: 'gates' as const,
    results: [],
    reasons: [],
    durationMs: 1,
  };
  await store.runs.saveBaseVerdict(run.id, { verdict, checksHash: 'h' });
  const { status } = (await store.runs.get(run.id)) ?? run;
  if (status === 'running' || status === 'paused') {
    await store.runs.pause(run.id, { ...person, commandId: 'pause' });
    await store.runs.resume(run.id, { ...person, commandId: 'resume' });
  }
  await store.runs.setBudget(run.id, { ...person, capMicroUsd });
  await others(store);
  await deliver(store);
  await keys(store);
  return run;
}

async function others(store: Store): Promise<void> {
  const small = (slug: string) => () =>
    runDraft([draft('one'), draft('two', { dependsOn: ['one'] })], { slug });
  const doomed = await runNamed(store, 'doomed', small('doomed'));
  await store.runs.cancel(doomed.id, { ...person, commandId: 'doom' });
  const hopeless = await runNamed(store, 'hopeless', small('hopeless'));
  if (hopeless.status !== 'failed') await store.runs.fail(hopeless.id, { ...person, commandId: 'no hope' });
}

async function deliver(store: Store): Promise<void> {
  const event = {
    source: 'hook',
    deliveryId: 'd1',
    kind: 'webhook',
    receivedAt: '2026-01-01T00:00:00.000Z',
    sender: null,
    trusted: true,
    data: {},
  };
  const repo = { location: 'https://example.org/life.git', host: null };
  const match = {
    rule: 'r',
    repo,
    target: 'baton/hook',
    baseCommit: 'b'.repeat(40),
    draft: draft('hooked'),
    planned: false,
  };
  await store.inbox.accept({ event, matches: [match] });
}

async function keys(store: Store): Promise<void> {
  const hash = createHash('sha256').update('key').digest('hex');
  const known = (await store.keys.list()).some(({ id }) => id === 'k1');
  if (!known) await store.keys.create({ id: 'k1', name: 'k', hash, prefix: 'k', scopes: ['read'] });
  await store.keys.revoke('k1');
}

/** What people do as the run goes on. True: something was done. */
export async function act(store: Store, run: Run): Promise<boolean> {
  let acted = false;
  for (const task of await tasksOf(store, run.id)) {
    if (task.key === 'called-off' && !task.settled) {
      await store.tasks.cancel(task.id, person);
      acted = true;
    }
    if (task.key === 'blocked' && task.status === 'BLOCKED') {
      await store.tasks.unblock(task.id, person);
      acted = true;
    }
    if (task.key === 'failing' && task.status === 'FAILED') {
      await store.tasks.retry(task.id, { ...person, commandId: 'retry' });
      acted = true;
    }
  }
  const keysById = new Map((await tasksOf(store, run.id)).map(({ id, key }) => [id, key]));
  for (const { id, nonce, taskId } of await store.approvals.list({ runId: run.id, status: 'waiting' })) {
    const approve = keysById.get(taskId) === 'approved';
    await store.approvals.decide(id, { ...person, approve, nonce, commandId: `decide ${id}` });
    acted = true;
  }
  return acted;
}

/** All tasks of a run. */
export async function tasksOf(store: Store, runId: string): Promise<Task[]> {
  return (await store.tasks.list({ runId, limit: 200 })).items;
}
