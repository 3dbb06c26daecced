import { expect } from './expect.ts';
import type pg from 'pg';
import type { Fact, Lane, RecordOutcome, Store } from '../../src/index.ts';
import type { ManualClock } from '@baton/testkit';
import { addTask, type ModelAttempt, type ModelTask, type World } from './world.ts';
import type { Rule } from './rules.ts';

/** The real store under test, with what the commands remember of it. */
export interface Real {
  store: Store;
  client: pg.Client;
  clock: ManualClock;
  workerId: string;
  lane: Lane | null;
  /** Reports that were accepted, for repeating. */
  told: { fact: Fact; commandId: string; outcome: RecordOutcome; attempt: ModelAttempt | null }[];
  /** Task versions whose history was replayed. */
  replayed: Map<string, number>;
  count: number;
  /** Reports that the store accepted. */
  accepted: number;
}

export const actor = 'worker:model';
export const by = { actor: 'operator:model', reason: 'the model says so' };
export const leaseMs = 120_000;
export const commit = 'b'.repeat(40);
export const headCommit = 'c'.repeat(40);

/** The n-th of a list, as a command picks it; undefined: the list is empty. */
export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)];
}

export const holdingOf = ({ id, given }: ModelAttempt) => ({ attemptId: id, fence: given });

/** Reports a fact; the store must answer as the model does. */
export async function tell(
  world: World,
  real: Real,
  report: { fact: Fact; attempt: ModelAttempt | null; accepts: () => boolean },
): Promise<boolean> {
  const { fact, attempt, accepts } = report;
  const commandId = `${real.workerId}:${++real.count}`;
  const outcome = await real.store.claims.record(fact, { actor, commandId });
  const late = attempt !== null && attempt.given !== attempt.fence;
  const expected = !late && !(attempt?.ended ?? false) && accepts();
  const what = `${fact.fact} on ${attempt?.task.key ?? 'a session'} (${attempt?.task.status ?? ''}, turn ${attempt?.turn ?? ''}): ${JSON.stringify(outcome)}`;
  expect(outcome.ok, what).toBe(expected);
  if (late && !outcome.ok) expect(outcome.code, what).toBe('LEASE_LOST');
  if (outcome.ok) real.accepted += 1;
  if (outcome.ok) real.told.push({ fact, commandId, outcome, attempt });
  return expected;
}

/** Reports what happened to one attempt, by its agent's holder. */
export async function tellOf(
  world: World,
  real: Real,
  { attempt, fact, rule }: { attempt: ModelAttempt; fact: Fact; rule: Rule },
): Promise<boolean> {
  return tell(world, real, { fact, attempt, accepts: () => rule(world, attempt) });
}

/** Claims, and checks that what came is what the model calls ready, in its order. */
export async function claim(
  world: World,
  real: Real,
  { maxTasks, ready }: { maxTasks: number; ready: ModelTask[] },
): Promise<void> {
  const claimed = await real.store.claims.claimBatch({
    workerId: real.workerId,
    maxTasks,
    leaseMs,
    runId: world.runId,
    capabilities: { host: 'here', labels: [] },
  });
  expect(claimed === null, `a claim although ready: ${ready.map(({ key }) => key).join(' ')}`).toBe(
    ready.length === 0,
  );
  if (claimed === null) return;
  expect(claimed.tasks[0]?.task.key, 'head of the batch').toBe(ready[0]?.key);
  expect(claimed.tasks.length <= maxTasks, 'size of the batch').toBe(true);
  const session = {
    id: claimed.sessionId,
    attempts: [] as ModelAttempt[],
    status: null,
    execution: 'pending' as const,
    current: null,
    ended: false,
  };
  world.sessions.push(session);
  const taken: ModelTask[] = [];
  for (const { task: row, attempt } of claimed.tasks) {
    const task = world.tasks.find(({ id }) => id === row.id);
    if (task === undefined) throw new Error(`unknown task ${row.key}`);
    const free = task.status === 'OPEN' && !task.later && !task.cancel;
    expect(
      free && task.waitsFor.every((other) => other.status === 'CLOSED' || taken.includes(other)),
      `${task.key} may be claimed`,
    ).toBe(true);
    taken.push(task);
    task.status = 'CLAIMED';
    task.version += 1;
    task.fence += 1;
    const entry: ModelAttempt = {
      ...{ id: attempt.id, task, session, number: task.attempts.length + 1, place: taken.length },
      ...{ given: task.fence, fence: task.fence, turn: 'CLAIMING', tools: 0, outcome: null, ended: false },
      ...{ begun: false, counted: false, orphanCounts: false, lapsed: false, doneAt: 0, landing: null },
    };
    task.attempts.push(entry);
    session.attempts.push(entry);
  }
}

/** The run's lane, held by the model's worker. */
export async function laneOf(world: World, real: Real): Promise<Lane> {
  if (real.lane !== null && (await real.store.lanes.renew(real.lane, leaseMs))) return real.lane;
  const run = await real.store.runs.get(world.runId);
  const { repoId = '', target = '' } = run ?? {};
  real.lane = await real.store.lanes.acquire({ repoId, target, workerId: real.workerId, leaseMs });
  if (real.lane === null) throw new Error('the lane is not free');
  return real.lane;
}

/** A call that must end as the model says: done, or refused with this code. */
export async function expectCall(call: Promise<unknown>, refusal: string | null): Promise<void> {
  const code = await call.then(
    () => null,
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );
  expect(code).toBe(refusal);
}

/** Tells the model of tasks that were added to the store. */
export function adopt(
  world: World,
  rows: { id: string; key: string; maxRetries: number }[],
  { parent, edges, planned }: { parent: ModelTask | null; edges: Map<string, string[]>; planned: boolean },
): void {
  for (const { id, key, maxRetries } of rows) {
    addTask(world, { id, key, parent, maxRetries, planned, waitsFor: [] });
  }
  for (const { key } of rows) {
    const task = world.tasks.find((each) => each.key === key);
    if (task) task.waitsFor = world.tasks.filter((each) => edges.get(key)?.includes(each.key));
  }
}
