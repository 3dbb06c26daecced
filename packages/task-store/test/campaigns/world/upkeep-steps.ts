import type { Step } from '@baton/testkit';
import { cancelMove } from '../../../src/decide/cancel.ts';
import { planBulk } from '../../../src/decide/bulk-move.ts';
import { approvalChange } from '../../../src/decide/landing-changes.ts';
import type { Change } from '../../../src/decide/change.ts';
import { nextWindow } from '../../../src/decide/sweep-window.ts';
import { unblockMove } from '../../../src/decide/unblock.ts';
import { RefusedByDatabase } from './guards.ts';
import { withJob } from './jobs.ts';
import { wordProblems } from './recorded.ts';
import { report } from './report.ts';
import { isAlive, now, patched, type Worker, type World } from './rows.ts';
import { itemOf, takeOrphans } from './lane-selects.ts';
import { sessionsDue } from './selects.ts';
import { expire, send, spend } from './send.ts';
import {
  apply,
  freeHeldByWorker,
  freeLostReservations,
  renewLeases,
  requestCancel,
  situationOfTask,
} from './statements.ts';

const leaseMs = 120_000;

/** A worker without a job looks through what dead processes left. */
export function takesOrphans(world: World, worker: Worker): Step<World>[] {
  const { world: taken, holdings } = takeOrphans(world, worker.id);
  if (holdings.length === 0) return [];
  return [
    { name: `${worker.id}: takes orphans`, next: withJob(taken, worker.id, { kind: 'orphans', holdings }) },
  ];
}

/** It gives the first one back, or finds it complete. */
export function orphanSteps(world: World, worker: Worker): Step<World>[] {
  const [first] = worker.job?.kind === 'orphans' ? worker.job.holdings : [];
  if (first === undefined) return [];
  const holding = { attemptId: first.attemptId, fence: first.fence };
  return (['OPEN', 'DONE'] as const).flatMap((to) => {
    const found = to === 'DONE' ? { startCommit: 'b', headCommit: 'h' } : {};
    const fact = { fact: 'orphan_settled', holding, to, reason: 'r', ...found } as const;
    return send(world, worker, { fact, name: `settles ${first.taskId} as ${to}` });
  });
}

/** A process ends without a word and another one takes its place; or it is kept from renewing; or it renews again. */
export function processSteps(world: World, worker: Worker): Step<World>[] {
  const steps: Step<World>[] = [];
  const owns = world.attempts.filter((row) => row.workerId === worker.id && !row.ended);
  const hasLane = world.lane.workerId === worker.id;
  const lapsed = owns.some(({ lease }) => lease === 'lapsed') || (hasLane && world.lane.lease === 'lapsed');
  const crashed = spend(world, 'crashes');
  if (worker.job !== null && crashed !== null) {
    const fresh = { id: `w${world.next}`, silent: false, job: null, waitsFor: null };
    const workers = crashed.workers.map((each) => (each.id === worker.id ? fresh : each));
    steps.push({ name: `${worker.id}: is killed`, next: { ...crashed, workers, next: world.next + 1 } });
  }
  const delayed = spend(world, 'delays');
  if (worker.job !== null && !worker.silent && delayed !== null) {
    const silent = { ...delayed, workers: patched(world.workers, worker.id, { silent: true }) };
    steps.push({
      name: `${worker.id}: falls silent for a lease`,
      next: lapse(silent, (id) => id === worker.id),
    });
  }
  if (worker.silent || lapsed) {
    const workers = patched(world.workers, worker.id, { silent: false });
    steps.push({
      name: `${worker.id}: renews its leases`,
      next: renewLeases({ ...world, workers }, worker.id),
    });
  }
  return steps;
}

/** Time passes: the leases of these run out. */
function lapse(world: World, of: (workerId: string) => boolean): World {
  const attempts = world.attempts.map((row) =>
    row.lease === 'live' && row.workerId !== null && of(row.workerId)
      ? { ...row, lease: 'lapsed' as const }
      : row,
  );
  const { lane } = world;
  const isLane = lane.lease === 'live' && lane.workerId !== null && of(lane.workerId);
  return { ...world, attempts, lane: isLane ? { ...lane, lease: 'lapsed' } : lane };
}

/** What any worker does for all: peers report the dead, leases lapse, the sweeper sweeps, what is due wakes, cancels go on. */
export function upkeepSteps(world: World): Step<World>[] {
  const steps: Step<World>[] = [];
  const isGone = (id: string | null) => !isAlive(world, id);
  const held = [...world.attempts.filter(({ ended }) => !ended), world.lane];
  if (held.some(({ workerId, lease }) => workerId !== null && lease === 'live' && isGone(workerId)))
    steps.push({ name: 'the leases of the dead run out', next: lapse(world, isGone) });
  for (const { id, ended, workerId } of world.sessions) {
    if (ended || isAlive(world, workerId)) continue;
    const fact = {
      fact: 'process_died',
      sessionId: id,
      exitCode: null,
      abortReason: 'parent_aborted',
      reason: 'r',
    } as const;
    const { world: next, answer, broken } = report(world, { fact, commandId: null });
    if (answer === 'ok') steps.push({ name: `a peer reports ${id} as dead`, next, broken });
    else
      steps.push({
        name: `a peer reports ${id} as dead → ${answer}`,
        next: world,
        broken: ['a dead session cannot be ended'],
      });
  }
  const freed = freeHeldByWorker(world, isGone);
  if (JSON.stringify([freed.lane, freed.attempts]) !== JSON.stringify([world.lane, world.attempts]))
    steps.push({ name: 'a peer frees what the dead held', next: freed });
  steps.push(
    ...(world.size.sweeperClock ? sweeps(world) : sessionsDue(world).flatMap((id) => expire(world, id))),
  );
  steps.push(...wakes(world), ...cancels(world));
  if (world.attempts.some(({ ended, reserved }) => ended && reserved))
    steps.push({ name: 'reservations of ended processes go', next: freeLostReservations(world) });
  return steps;
}

/** The sweeper by its own clock. All may be asleep for a while; awake, whoever lives renews between two of its rounds. */
function sweeps(world: World): Step<World>[] {
  const { sweeper } = world;
  const steps: Step<World>[] = [];
  const asleep = spend(world, 'delays');
  if (asleep !== null)
    steps.push({
      name: 'all are asleep for an hour',
      next: { ...lapse(asleep, () => true), sweeper: { ...sweeper, now: sweeper.now + 3_600_000 } },
    });
  // Awake again after a sleep: nobody has had the time to renew yet.
  const slept = sweeper.now > 0;
  const time = slept ? sweeper.now : leaseMs / 4;
  const { mayExpire, ...window } = nextWindow(sweeper.window, time, leaseMs);
  // Back to zero, so that what behaves alike is alike.
  const last = window.last === undefined ? undefined : window.last - time;
  const swept = { window: { last, quietUntil: Math.max(window.quietUntil - time, 0) }, now: 0 };
  let next: World = { ...world, sweeper: swept };
  for (const worker of slept ? [] : world.workers) if (!worker.silent) next = renewLeases(next, worker.id);
  const due = mayExpire ? sessionsDue(next) : [];
  if (due.length === 0) {
    if (JSON.stringify(swept) !== JSON.stringify(sweeper))
      steps.push({ name: 'sweeper: finds nothing', next });
    return steps;
  }
  return [...steps, ...due.flatMap((id) => expire(next, id))];
}

function wakes(world: World): Step<World>[] {
  return world.tasks.flatMap((task): Step<World>[] => {
    const name = `time comes for ${task.id}`;
    if (task.notBefore === null || task.notBefore <= now) return [];
    const due = {
      ...world,
      tasks: patched(world.tasks, task.id, { notBefore: now, claimable: task.status === 'OPEN' }),
    };
    if (task.status === 'OPEN') return [{ name, next: due }];
    if (task.status !== 'BLOCKED') return [];
    const { change } = planBulk(
      [situationOfTask(due, task.id)],
      unblockMove({ taskIds: [], actor: 'u', reason: 'due' }),
    );
    return written(due, change, name);
  });
}

/** Cancels that are due, and the person who asks for one. */
function cancels(world: World): Step<World>[] {
  const steps: Step<World>[] = [];
  for (const task of world.tasks) {
    if (task.settled) continue;
    if (!task.cancelRequested && world.left.cancels > 0) {
      const asked = { ...world, left: { ...world.left, cancels: world.left.cancels - 1 } };
      steps.push({ name: `a person cancels ${task.id}`, next: requestCancel(asked, task.id) });
    }
    if (!task.cancelRequested) continue;
    const { change, moved } = planBulk(
      [situationOfTask(world, task.id)],
      cancelMove({ taskIds: [], actor: 'u' }),
    );
    if (moved.length > 0) steps.push(...written(world, change, `${task.id} is cancelled`));
  }
  return steps;
}

/** A person's word on finished work. */
export function approvalSteps(world: World): Step<World>[] {
  return world.approvals.flatMap(({ id, taskId, status }) => {
    const item = itemOf(world, taskId);
    if (status !== 'waiting' || item === null) return [];
    return [true, false].flatMap((approve) => {
      const change = approvalChange(item, { now, actor: 'ada', reason: 'r', id, nonce: 'n', approve });
      return change === null ? [] : written(world, change, `ada says ${approve ? 'yes' : 'no'} to ${taskId}`);
    });
  });
}

/** Writes a change that was decided on this very world. */
function written(world: World, change: Change, name: string): Step<World>[] {
  try {
    const applied = apply(world, change);
    if (applied.ok) return [{ name, next: applied.world, broken: wordProblems(change) }];
    return [{ name, next: world, broken: [`decided on what stands there, and refused: ${applied.why}`] }];
  } catch (error) {
    if (!(error instanceof RefusedByDatabase)) throw error;
    return [{ name, next: world, broken: [`the database refuses what was decided: ${error.message}`] }];
  }
}
