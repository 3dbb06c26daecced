import type { Explanation, Store, Task } from '@baton/task-store';
import { by, draft, request } from '../../../../../packages/task-store/test/support/builders.ts';
import type { Step } from './format.ts';
import { play } from './play.ts';
import { openStage, type Stage } from './stage.ts';

/** What a walk saw. */
export interface Walked {
  steps: number;
  asked: number;
  causes: Record<string, number>;
  broken: string[];
}

const keys = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const later = '2999-01-01T00:00:00Z';

/** Anything that somebody might do at any time; most of it is refused by the store, as it should be. */
function anyStep(pick: <T>(of: readonly T[]) => T): Step {
  const task = pick(keys);
  const steps: Step[] = [
    { claim: { max: pick([1, 1, 2, 3]), worker: pick(['w1', 'w2']) } },
    { claim: { max: 1, worker: pick(['w1', 'w2']) } },
    { launch: { task } },
    { ready: { task } },
    { ready: { task } },
    { done: { task } },
    { done: { task } },
    { over: { task } },
    { died: { task } },
    { lane: { worker: 'w1' } },
    { take: {} },
    { take: {} },
    { land: { task } },
    {
      lane_waits: {
        text: 'checked out',
        cause: pick([
          'checkout_dirty',
          'checkout_blocked',
          'checkout_hidden',
          'target_in_use',
          'target_moved',
        ]),
      },
    },
    { pause: { reason: 'TARGET_MOVED: gone. Bring it back with `x`, then `y`.' } },
    { usage: { task, usd: pick([1_000, 400_000]) } },
    { pause: {} },
    { resume: {} },
    { resume: {} },
    { retry: { task } },
    { cancel: { task } },
    { decide: { task, approve: pick([true, false]) } },
    { sweep: {} },
    { sequence: {} },
    { age: { what: pick(['leases', 'lanes', 'back_offs', 'back_offs', 'wanted_paths', 'heartbeats']) } },
    { worker: { id: pick(['w1', 'w2']), host: 'here', labels: [], status: pick(['online', 'draining']) } },
    {
      tell: {
        fact: 'released',
        task,
        reason: 'r',
        because: pick(['budget', 'price_unknown', 'parked', 'state_full']),
        notBefore: pick([later, '2020-01-01T00:00:00Z']),
      },
    },
    {
      tell: {
        fact: 'agent_failed',
        task,
        reason: 'r',
        outcome: pick(['agent_failed', 'crashed', 'rate_limited', 'spawn_failed']),
      },
    },
    {
      tell: {
        fact: 'rejected',
        task,
        kind: pick(['rejected', 'conflict', 'base_rejected']),
        reasons: ['red'],
      },
    },
    { tell: { fact: 'approval_wanted', task, reason: 'r', headCommit: 'c'.repeat(40), patchId: 'p' } },
    {
      tell: {
        fact: 'blocked',
        task,
        on: pick<object>([{ text: 'x' }, { until: later }, { task: 'a' }]),
        reason: 'r',
      },
    },
    { tell: { fact: 'decomposed', task, reason: 'r', children: [{ key: `${task}${pick([1, 2, 3, 4])}` }] } },
  ];
  return pick(steps);
}

/** Walks over the store's API at random; after each step every live task must have an answer, and a true one. */
export async function walk(options: { seed: number; steps: number }): Promise<Walked> {
  const random = randomOf(options.seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const seen: Walked = { steps: 0, asked: 0, causes: {}, broken: [] };
  await using stage = await openStage();
  await play(stage, { worker: { id: 'w1', host: 'here', labels: [], status: 'online' } });
  await play(stage, { worker: { id: 'w2', host: 'here', labels: [], status: 'online' } });
  await openRun(stage, pick);
  for (let n = 0; n < options.steps && seen.broken.length === 0; n++) {
    const step = anyStep(pick);
    await play(stage, step).catch(() => undefined);
    seen.steps += 1;
    await askAll(stage, {
      seen,
      after: `step ${n} of seed ${options.seed}, ${JSON.stringify(step)}`,
      claims: random() < 0.2,
    });
  }
  return seen;
}

async function openRun(stage: Stage, pick: <T>(of: readonly T[]) => T): Promise<void> {
  const files = [[], [], ['src'], ['src/x'], ['docs']];
  const tasks = keys.map((key, at) =>
    draft(key, {
      files: pick(files),
      maxRetries: pick([0, 1, 3]),
      approval: pick([false, false, true]),
      dependsOn: at > 1 && pick([true, false]) ? [pick(keys.slice(0, at))] : [],
      ...(pick([false, true]) ? { maxCostMicroUsd: 400_000 } : {}),
    }),
  );
  const budget = pick([undefined, 1_000_000]);
  const limit = pick([undefined, 1, 2]);
  await play(stage, {
    run: {
      name: 'run',
      planned: true,
      batch_size: 3,
      gates: [],
      tasks,
      ...(budget === undefined ? {} : { budget_usd: budget }),
      ...(limit === undefined ? {} : { max_agents: limit }),
    },
  });
  const some = (await stage.store.tasks.list({ runId: stage.runId() })).items.slice(0, pick([4, 6]));
  await stage.store.runs.approvePlan(stage.runId(), { ...by, taskIds: some.map(({ id }) => id) });
}

async function askAll(
  stage: Stage,
  { seen, after, claims }: { seen: Walked; after: string; claims: boolean },
): Promise<void> {
  const { items } = await stage.store.tasks.list({ runId: stage.runId() });
  for (const task of items) {
    const told = await stage.store.tasks.explain(task.id);
    seen.asked += 1;
    seen.causes[told.cause] = (seen.causes[told.cause] ?? 0) + 1;
    const wrong = untrue(task, told);
    if (wrong !== null) seen.broken.push(`${after}: ${task.key} is ${task.status}: ${wrong}`);
  }
  const open = items.filter(({ status }) => status === 'OPEN').at(0);
  if (claims && open !== undefined) {
    const wrong = await claimSays(stage.store, open);
    if (wrong !== null) seen.broken.push(`${after}: ${open.key}: ${wrong}`);
  }
}

/** A live task without an answer is a bug. Source: docs/spec/store.md#explain. */
function untrue(task: Task, told: Explanation): string | null {
  if (told.text === '' || told.owner === '') return 'the answer is empty';
  if (told.settled !== task.settled || told.status !== task.status)
    return 'the answer is about another state';
  const resting = told.cause === 'settled' || told.cause === 'retries_exhausted';
  if (resting !== task.settled) return `says ${told.cause}, and settled is ${task.settled}`;
  if (told.cause === 'not_before' && told.until === null) return 'waits for a time that it does not name';
  return null;
}

const claimable = new Set<Explanation['cause']>(['ready', 'conflict', 'feed_behind']);
/** The store gives a claim to anyone who asks: that no worker is registered, or that all hold back, is no reason to refuse one. */
const noReason = new Set<Explanation['cause']>([
  'not_carried',
  'no_capable_worker',
  'workers_draining',
  'landing_behind',
  ...claimable,
]);

/** The store's own claim is the judge: what is said to be ready can be claimed, what is held up cannot. */
async function claimSays(store: Store, task: Task): Promise<string | null> {
  const told = await store.tasks.explain(task.id);
  const causes = [told.cause, ...told.also];
  const claim = await store.claims.claimTask(task.id, request({ workerId: 'judge', leaseMs: 60_000 }));
  if (claim === null)
    return causes.every((cause) => noReason.has(cause))
      ? `said ${causes.join(', ')}, and no claim was given`
      : null;
  for (const { attempt } of claim.tasks)
    await store.claims.record(
      { fact: 'released', holding: { attemptId: attempt.id, fence: attempt.fence }, reason: 'judged' },
      { actor: 'worker:judge' },
    );
  await store.claims.record(
    { fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 },
    { actor: 'worker:judge' },
  );
  return causes.every((cause) => noReason.has(cause))
    ? null
    : `said ${causes.join(', ')}, and yet it was claimed`;
}

/** mulberry32: small, seeded, good enough to choose steps. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
