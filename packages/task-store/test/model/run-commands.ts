import { expect } from './expect.ts';
import type { Fact } from '../../src/index.ts';
import { draft } from '../support/builders.ts';
import type { Choice, Commands, Perform } from './command.ts';
import {
  actor,
  adopt,
  by,
  claim,
  commit,
  expectCall,
  headCommit,
  leaseMs,
  pick,
  type Real,
} from './driver.ts';
import { cancelIdle, carryOn, lineage, move, settleParent } from './endings.ts';
import * as rules from './rules.ts';
import {
  isHeld,
  isReady,
  openAttempt,
  openAttempts,
  reopen,
  settleAstray,
  settleRun,
  type ModelTask,
  type World,
} from './world.ts';

async function addTasks(world: World, real: Real, { at, way }: Choice): Promise<void> {
  const keys = Array.from({ length: 1 + (way % 2) }, (_, n) => `t${world.tasks.length + n}`);
  const before = pick(
    world.tasks.filter(({ parent }) => parent === null),
    at,
  );
  const edges = new Map(
    keys.map((key, n) => [
      key,
      [
        ...(before && way % 3 === 0 ? [before.key] : []),
        ...(n > 0 && way % 4 < 2 ? [keys[n - 1] ?? ''] : []),
      ],
    ]),
  );
  const planned = way % 5 === 0;
  const drafts = keys.map((key) => draft(key, { dependsOn: edges.get(key) ?? [], maxRetries: at % 3 }));
  const call = real.store.tasks.add(world.runId, { ...by, drafts, planned });
  const lost = world.runStatus === 'cancelled' || (before?.status === 'CANCELLED' && way % 3 === 0);
  await expectCall(call, lost ? 'CONFLICT' : null);
  if (lost) return;
  adopt(
    world,
    (await call).map(({ id, key, maxRetries }) => ({ id, key, maxRetries })),
    { parent: null, edges, planned },
  );
  reopen(world);
}

const approvePlan: Perform = async (world, real, { way }) => {
  const planned = world.tasks.filter(({ status }) => status === 'PLANNED');
  const approve = way % 3 > 0;
  const moved = await (approve
    ? real.store.runs.approvePlan(world.runId, by)
    : real.store.runs.rejectPlan(world.runId, by));
  expect(moved).toBe(planned.length);
  for (const task of planned) {
    move(task, approve ? 'OPEN' : 'CANCELLED');
    if (!approve) task.settled = true;
  }
  if (approve && planned.length > 0) reopen(world);
  if (!approve) carryOn(world, planned);
};

const claimWork: Perform = (world, real, { way }) =>
  claim(world, real, { maxTasks: 1 + (way % 3), ready: world.tasks.filter((task) => isReady(world, task)) });

const sweep: Perform = async (world, real) => {
  // A sweeper that has just started waits one lease; its rounds come more often than half a lease.
  for (let round = 0; round < 4; round++) {
    real.clock.advance(leaseMs / 2 - 1_000);
    await real.store.claims.sweep({ actor: 'sweeper', leaseMs });
  }
  for (const session of world.sessions) {
    const held = openAttempts(session).filter(({ task }) => isHeld(task));
    if (held.length > 0 && held.every(({ lapsed }) => lapsed))
      rules.sessionLost(world, session, { counts: false, clean: false });
  }
  cancelIdle(
    world,
    world.tasks.filter(({ cancel, settled }) => cancel && !settled),
  );
  for (const task of world.tasks) settleParent(world, task);
  settleAstray(world);
};

const recover: Perform = async (world, real, { way }) => {
  const orphans = world.tasks.filter(({ status }) => status === 'ORPHANED');
  const taken = await real.store.claims.takeOrphans({
    workerId: real.workerId,
    host: 'here',
    leaseMs,
    runId: world.runId,
  });
  expect(taken.map(({ task }) => task.id).sort()).toEqual(orphans.map(({ id }) => id).sort());
  for (const task of orphans) {
    const attempt = openAttempt(task);
    if (attempt) attempt.fence = ++task.fence;
  }
  const to = pick(['DONE', 'OPEN', 'FAILED'] as const, way) ?? 'OPEN';
  for (const {
    attempt: row,
    task: { id },
  } of taken) {
    const attempt = world.tasks.find((task) => task.id === id)?.attempts.find((each) => each.id === row.id);
    if (attempt === undefined) throw new Error('an orphan without an attempt');
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    const fact: Fact = {
      fact: 'orphan_settled',
      holding,
      to,
      reason: 'it was looked through',
      startCommit: commit,
      headCommit,
    };
    const outcome = await real.store.claims.record(fact, { actor });
    expect(outcome.ok).toBe(rules.orphanSettled(to)(world, attempt));
  }
};

const makeDue: Perform = async (world, real) => {
  await real.client.query(
    `UPDATE task SET not_before = now() - interval '1 second' WHERE run_id = $1 AND not_before IS NOT NULL`,
    [world.runId],
  );
  await real.client.query(
    `UPDATE task SET claimable = true WHERE run_id = $1 AND status = 'OPEN' AND NOT claimable AND not_before <= now() AND baton_run_open(run_id)`,
    [world.runId],
  );
  for (const task of world.tasks) task.later = false;
};

const retry: Perform = async (world, real, { at }) => {
  const failed = world.tasks.filter(({ status }) => status === 'FAILED');
  const task = pick(failed.length > 0 && at % 4 > 0 ? failed : world.tasks, at);
  if (task === undefined) return;
  // A cancelled run stays so, and nothing of it is tried again.
  const isRetried = task.status === 'FAILED' && world.runStatus !== 'cancelled';
  await expectCall(real.store.tasks.retry(task.id, by), isRetried ? null : 'CONFLICT');
  if (!isRetried) return;
  const { spent, limit } = lineage(world, task);
  const short = Math.max(0, task.tries + 1 - (1 + task.maxRetries + task.granted), spent + 1 - limit);
  move(task, 'OPEN');
  Object.assign(task, {
    settled: false,
    cancel: false,
    later: false,
    setbacks: 0,
    granted: task.granted + short,
  });
  const { parent } = task;
  if (parent?.status === 'BLOCKED' && parent.blockedOn === task.id) {
    move(parent, 'OPEN', 'WAITING_FOR_SUBTASKS');
    parent.blockedOn = null;
  }
  reopen(world);
};

const unblock: Perform = async (world, real, { at }) => {
  const stuck = world.tasks.filter(({ status }) => status === 'BLOCKED');
  const task = pick(stuck.length > 0 && at % 4 > 0 ? stuck : world.tasks, at);
  if (task === undefined) return;
  await expectCall(real.store.tasks.unblock(task.id, by), task.status === 'BLOCKED' ? null : 'CONFLICT');
  if (task.status !== 'BLOCKED') return;
  move(task, 'OPEN');
  Object.assign(task, { blockedOn: null, later: false });
  reopen(world);
};

const cancel: Perform = async (world, real, { at }) => {
  const task = pick(world.tasks, at);
  if (task === undefined) return;
  await real.store.tasks.cancel(task.id, by);
  if (task.settled) return;
  const below = (each: ModelTask): ModelTask[] => [
    each,
    ...world.tasks.filter(({ parent }) => parent === each).flatMap(below),
  ];
  const asked = below(task).filter(({ settled }) => !settled);
  for (const each of asked) each.cancel = true;
  cancelIdle(world, asked);
};

const steerRun: Perform = async (world, real, { at, way }) => {
  const ended = ['done', 'failed', 'cancelled'].includes(world.runStatus);
  const { runId } = world;
  if (way % 12 === 0 && at % 4 === 0) {
    await real.store.runs.cancel(runId, by);
    // Cancelled already: what came to it since is cancelled as well.
    world.runStatus = 'cancelled';
    const asked = world.tasks.filter(({ settled, cancel: already }) => !settled && !already);
    for (const task of asked) task.cancel = true;
    cancelIdle(world, asked);
  } else if (way % 3 === 0 && at % 2 === 0) {
    await expectCall(real.store.runs.pause(runId, by), ended ? 'CONFLICT' : null);
    if (!ended) world.runStatus = 'paused';
  } else if (way % 3 < 2) {
    const refused = ended && (world.runStatus as string) !== 'paused';
    await expectCall(real.store.runs.resume(runId, by), refused ? 'CONFLICT' : null);
    if (refused) return;
    if (world.runStatus === 'paused') world.runStatus = 'running';
    settleRun(world);
  } else {
    await real.store.runs.settle(runId);
    settleRun(world);
  }
};

/** The same command again has no further effect and the same answer. */
const repeat: Perform = async (_, real, { at }) => {
  const told = pick(real.told, at);
  if (told)
    expect(await real.store.claims.record(told.fact, { actor, commandId: told.commandId })).toEqual(
      told.outcome,
    );
};

/** A report about an attempt that has ended, or that somebody else holds now: refused, without effect. */
const tellLate: Perform = async (_, real, { at }) => {
  const told = pick(
    real.told.filter(
      ({ attempt, fact }) =>
        attempt !== null && 'holding' in fact && (attempt.ended || fact.holding.fence !== attempt.fence),
    ),
    at,
  );
  if (told)
    expect(
      (
        await real.store.claims.record(told.fact, {
          actor,
          commandId: `late:${real.workerId}:${++real.count}`,
        })
      ).ok,
      told.fact.fact,
    ).toBe(false);
};

/** Plans, claims, upkeep, people, and reports that come twice or too late. */
export const runCommands: Commands = {
  addTasks: [3, addTasks],
  approvePlan: [1, approvePlan],
  claim: [8, claimWork],
  sweep: [2, sweep],
  recover: [2, recover],
  makeDue: [3, makeDue],
  retry: [2, retry],
  unblock: [2, unblock],
  cancel: [1, cancel],
  steerRun: [2, steerRun],
  repeat: [2, repeat],
  tellLate: [3, tellLate],
};
