import { heldByLane } from './lane-selects.ts';
import type { Model, Step } from '@baton/testkit';
import { absorb } from './absorb.ts';
import { batchSteps, claims } from './batch-steps.ts';
import { violations } from './invariants.ts';
import { keyOf } from './key.ts';
import { laneSteps, takesLane } from './landing-steps.ts';
import { byId, type Size, type TaskRow, type Worker, type World } from './rows.ts';
import { arrivals } from './send.ts';
import { approvalSteps, orphanSteps, processSteps, takesOrphans, upkeepSteps } from './upkeep-steps.ts';

/** The world of one size at its beginning: all tasks OPEN, all workers idle. */
export function startWorld(size: Size): World {
  const tasks = size.tasks.map(({ id, waitsFor, maxRetries, conflicts = 0, setbacks = 0 }): TaskRow => ({
    ...{ id, runId: 'run', status: 'OPEN', version: 0, fence: 0, tries: 0, grantedTries: 0, maxRetries },
    ...{
      conflicts,
      setbacks,
      cancelRequested: false,
      pending: waitsFor.length,
      claimable: true,
      settled: false,
    },
    ...{ notBefore: null, blocked: false, continues: false, confirmed: 0 },
    tally: { tries: 0, conflicts, spawnFailures: setbacks },
  }));
  const workers = Array.from({ length: size.workers }, (_, n): Worker => {
    return { id: `w${n + 1}`, silent: false, job: null, waitsFor: null };
  });
  return {
    ...{
      size,
      tasks,
      attempts: [],
      sessions: [],
      landings: [],
      approvals: [],
      commands: [],
      flight: [],
      workers,
    },
    lane: { epoch: 0, workerId: null, lease: null },
    git: { laneEpoch: 0, moved: [], effects: {} },
    sweeper: { window: { last: 0, quietUntil: 0 }, now: 0 },
    left: { ...size.faults, cancels: size.cancels },
    history: [],
    next: 100,
  };
}

/** All that may happen next. */
export function stepsOf(world: World): Step<World>[] {
  const steps = [
    ...world.workers.flatMap((worker) => [...workerSteps(world, worker), ...processSteps(world, worker)]),
    ...arrivals(world),
    ...upkeepSteps(world),
    ...approvalSteps(world),
  ];
  return steps.map((step) => {
    if (!world.size.absorbs) return { ...step, next: tidy(step.next) };
    const { world: next, broken } = absorb(step.next);
    return { name: step.name, next: tidy(next), broken: [...(step.broken ?? []), ...broken] };
  });
}

function workerSteps(world: World, worker: Worker): Step<World>[] {
  const { job } = worker;
  if (worker.waitsFor !== null) return [];
  if (job === null) {
    const lanes = world.size.collapsed ? [] : takesLane(world, worker);
    return [...claims(world, worker), ...lanes, ...takesOrphans(world, worker)];
  }
  if (job.kind === 'batch') return batchSteps(world, worker, job);
  return job.kind === 'lane' ? laneSteps(world, worker, job) : orphanSteps(world, worker);
}

/** Rows that nobody will speak of again are left out: in the database they stay, and never move. */
export function tidy(world: World): World {
  const spokenOf = new Set<string>();
  for (const { fact } of world.flight) {
    if ('holding' in fact) spokenOf.add(fact.holding.attemptId);
    else if ('holdings' in fact) for (const { attemptId } of fact.holdings) spokenOf.add(attemptId);
    else spokenOf.add(fact.sessionId);
  }
  for (const { job } of world.workers) {
    if (job?.kind === 'batch') spokenOf.add(job.sessionId);
    const held = job === null ? [] : job.kind === 'lane' ? heldByLane(job) : job.holdings;
    for (const { attemptId } of held) spokenOf.add(attemptId);
  }
  const openSessions = new Set(
    world.attempts.filter(({ ended }) => !ended).map(({ sessionId }) => sessionId),
  );
  const attempts = world.attempts.filter(
    (row) =>
      !row.ended ||
      row.reserved ||
      spokenOf.has(row.id) ||
      (['rejected', 'conflict', 'base_rejected'].includes(row.outcome ?? '') &&
        openSessions.has(row.sessionId)),
  );
  const kept = new Set(attempts.map(({ sessionId }) => sessionId));
  const sessions = world.sessions.filter(
    (row) => !row.ended || row.hasSlot || row.paths.length > 0 || kept.has(row.id) || spokenOf.has(row.id),
  );
  const commands = world.commands.filter((id) => world.flight.some(({ commandId }) => commandId === id));
  const moved = world.git.moved.filter((id) => byId(world.landings, id) !== undefined);
  const approvals = world.approvals.filter(({ attemptId }) =>
    attempts.some((row) => row.id === attemptId && !row.ended),
  );
  return { ...world, attempts, sessions, commands, approvals, git: { ...world.git, moved } };
}

/** Everything has come to its end, and nothing is left over. */
export function isSettled(world: World): boolean {
  const ended = world.tasks.every(
    (task) => task.settled || waitsForLost(world, task) || (world.size.collapsed && task.status === 'DONE'),
  );
  return (
    ended &&
    world.sessions.every(
      ({ ended: over, hasSlot, paths }) => over && !hasSlot && (paths.length === 0 || world.size.collapsed),
    ) &&
    world.attempts.every(({ ended: over, reserved }) => (over || world.size.collapsed) && !reserved) &&
    world.landings.length === 0 &&
    world.approvals.every(({ status }) => status !== 'waiting') &&
    world.lane.workerId === null &&
    world.workers.every(({ job }) => job === null) &&
    world.flight.length === 0
  );
}

/** Waits for a task that failed for good: only a person's retry moves it. */
function waitsForLost(world: World, task: TaskRow): boolean {
  const plan = world.size.tasks.find(({ id }) => id === task.id);
  return (
    task.status === 'OPEN' &&
    (plan?.waitsFor ?? []).some((id) => {
      const other = byId(world.tasks, id);
      return other !== undefined && (other.status === 'FAILED' ? other.settled : waitsForLost(world, other));
    })
  );
}

/** The world of one size, for `explore` and `walkAtRandom` of @baton/testkit. */
export function worldModel(size: Size): Model<World> {
  return { start: startWorld(size), steps: stepsOf, key: keyOf, violations, settled: isSettled };
}
