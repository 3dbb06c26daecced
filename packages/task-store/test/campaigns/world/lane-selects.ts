import type { Item } from '../../../src/decide/situation.ts';
import type { Holding } from '../../../src/model/task.ts';
import { byId, openAttempt, patched, planOf, type AttemptRow, type Job, type World } from './rows.ts';
import type { Taken } from './selects.ts';

/** `take-orphans`: under a new fence. */
export function takeOrphans(world: World, workerId: string): Taken {
  const free = world.attempts.filter(
    (row) =>
      !row.ended &&
      byId(world.tasks, row.taskId)?.status === 'ORPHANED' &&
      (row.workerId === null || row.workerId === workerId || row.lease === 'lapsed'),
  );
  return free.reduce<Taken>((taken, row) => takeOver(taken, row, workerId), { world, holdings: [] });
}

function takeOver({ world, holdings }: Taken, row: AttemptRow, workerId: string): Taken {
  const fence = (byId(world.tasks, row.taskId)?.fence ?? 0) + 1;
  const tasks = patched(world.tasks, row.taskId, { fence });
  const attempts = patched(world.attempts, row.id, { workerId, fence, lease: 'live' as const });
  return {
    world: { ...world, tasks, attempts },
    holdings: [...holdings, { attemptId: row.id, fence, taskId: row.taskId }],
  };
}

/** What a lane may land. */
function isLandable(world: World, row: AttemptRow): boolean {
  const task = byId(world.tasks, row.taskId);
  return (
    !row.ended &&
    task?.status === 'DONE' &&
    !task.cancelRequested &&
    (row.turnStatus === 'VERIFYING' || row.turnStatus === 'IDLE')
  );
}

/** `open-lanes` (what can land, or an intent that nobody settled) and `acquire-lane`: the epoch grows with each holder. */
export function acquireLane(world: World, workerId: string): World | null {
  const { lane } = world;
  const isFree = lane.workerId === null || lane.workerId === workerId || lane.lease === 'lapsed';
  const isOpen = world.landings.length > 0 || world.attempts.some((row) => isLandable(world, row));
  if (!isFree || !isOpen) return null;
  return { ...world, lane: { epoch: lane.epoch + 1, workerId, lease: 'live' } };
}

/** Does this epoch still hold the lane, on a live lease? */
export function holdsLane({ lane }: World, epoch: number): boolean {
  return lane.epoch === epoch && lane.workerId !== null && lane.lease === 'live';
}

/** What a lane has in hand, in its order. */
export function heldByLane({
  holding,
  mates,
}: Extract<Job, { kind: 'lane' }>): (Holding & { taskId: string })[] {
  return holding === null ? [] : [holding, ...mates];
}

/**
 * `take-for-landing`: the next attempt in landing order, but for those of these tasks, under a new fence; ranges of one batch in order.
 */
export function takeForLanding(
  world: World,
  { epoch, besides }: { epoch: number; besides: readonly string[] },
): Taken | null {
  const { workerId } = world.lane;
  if (!holdsLane(world, epoch) || workerId === null) return null;
  const before = (row: AttemptRow) =>
    world.attempts.some(
      (other) =>
        other.sessionId !== null &&
        other.sessionId === row.sessionId &&
        other.place < row.place &&
        !other.ended &&
        ['CLAIMED', 'IN_PROGRESS', 'ORPHANED', 'DONE'].includes(
          byId(world.tasks, other.taskId)?.status ?? '',
        ),
    );
  const [next] = world.attempts
    .filter(
      (row) =>
        isLandable(world, row) &&
        !besides.includes(row.taskId) &&
        (row.workerId === null || row.workerId === workerId || row.lease === 'lapsed') &&
        !world.landings.some(({ taskId }) => taskId === row.taskId) &&
        !before(row),
    )
    .toSorted((a, b) => a.doneAt - b.doneAt || a.place - b.place);
  return next === undefined ? null : takeOver({ world, holdings: [] }, next, workerId);
}

/** `landing-context`: was something before it in its batch refused, that it depends on? */
export function rejectedBefore(world: World, attemptId: string): 'depended' | 'other' | null {
  const row = byId(world.attempts, attemptId);
  const refused = world.attempts.filter(
    (other) =>
      row?.sessionId !== null &&
      other.sessionId === row?.sessionId &&
      other.place < row.place &&
      ['rejected', 'conflict', 'base_rejected'].includes(other.outcome ?? ''),
  );
  if (row === undefined || refused.length === 0) return null;
  const waitsFor = planOf(world, row.taskId).waitsFor;
  return refused.some(({ taskId }) => waitsFor.includes(taskId)) ? 'depended' : 'other';
}

/** `write-intents`: fence, epoch, approval and cancel of each are checked by the statement itself; one train a lane, all of it or none. */
export function writeIntents(
  world: World,
  { epoch, holdings }: { epoch: number; holdings: readonly Holding[] },
): { world: World; ids: string[] } | null {
  if (!holdsLane(world, epoch) || world.landings.length > 0) return null;
  const landings = [];
  for (const { attemptId, fence } of holdings) {
    const row = byId(world.attempts, attemptId);
    if (row?.fence !== fence || !isLandable(world, row)) return null;
    const approved = world.approvals.some((each) => each.attemptId === row.id && each.status === 'approved');
    if (planOf(world, row.taskId).approval === true && !approved) return null;
    landings.push({ id: `landing${world.next + landings.length}`, taskId: row.taskId, attemptId: row.id });
  }
  return {
    world: { ...world, landings, next: world.next + landings.length },
    ids: landings.map(({ id }) => id),
  };
}

/** The task's open attempt as an item; null when it has none. */
export function itemOf(world: World, taskId: string): Item | null {
  const attempt = openAttempt(world, taskId);
  const task = byId(world.tasks, taskId);
  return attempt === undefined || task === undefined ? null : { task, attempt };
}
