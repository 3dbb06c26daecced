import type { AttemptChange, Change, Moment } from '../../../src/decide/change.ts';
import { checkEvents } from './guards.ts';
import {
  byId,
  now,
  openAttempt,
  patched,
  planOf,
  type AttemptRow,
  type Lease,
  type SessionRow,
  type TaskRow,
  type World,
} from './rows.ts';

/**
 * What the database's statements mean, and nothing else: compare-and-set on version, sequence and fence, one transaction or nothing,
 * constraints and triggers (guards.ts), what becomes ready, and who gets what. Each function stands for one SQL function or statement,
 * named with it. The claim and what lanes and orphans are taken by stand in selects.ts.
 */

/** What `baton_apply` answers, with the world afterwards. */
export type Applied =
  { ok: true; world: World } | { ok: false; why: 'stale' | 'fence' | 'landing' | 'approval' | 'repeated' };

const miss = (why: (Applied & { ok: false })['why']): Applied => ({ ok: false, why });

/** `baton_apply` (0003): all of a change where everything still is as it was decided on, or nothing. @throws RefusedByDatabase */
export function apply(world: World, change: Change): Applied {
  if (change.command !== undefined && world.commands.includes(change.command.id)) return miss('repeated');
  const missed = firstMiss(world, change);
  if (missed !== null) return miss(missed);
  const after: World = { ...world };
  if (change.command !== undefined) after.commands = [...world.commands, change.command.id];
  if (change.landing !== undefined) {
    const landing = byId(world.landings, change.landing.id);
    if (landing === undefined) return miss('landing');
    const confirmed = (byId(world.tasks, landing.taskId)?.confirmed ?? 0) + 1;
    after.tasks = patched(after.tasks, landing.taskId, { confirmed });
    after.landings = world.landings.filter(({ id }) => id !== landing.id);
  }
  if (change.decision !== undefined) {
    const { id, status } = change.decision;
    if (byId(world.approvals, id)?.status !== 'waiting') return miss('approval');
    after.approvals =
      status === 'approved'
        ? patched(world.approvals, id, { status })
        : world.approvals.filter((row) => row.id !== id);
  }
  writeSessions(after, change);
  for (const entry of change.attempts ?? []) writeAttempt(after, entry);
  for (const entry of change.tasks ?? []) writeTask(after, entry);
  freePaths(after, change);
  if (change.approval !== undefined) {
    const { id, taskId, attemptId } = change.approval;
    after.approvals = [...after.approvals, { id, taskId, attemptId, status: 'waiting' }];
  }
  checkEvents(world, after, change.events ?? []);
  if (world.size.keepsHistory) after.history = [...world.history, ...(change.events ?? [])];
  return { ok: true, world: after };
}

function firstMiss(world: World, change: Change): 'stale' | 'fence' | null {
  for (const entry of change.sessions ?? []) {
    const row = byId(world.sessions, entry.id);
    if (row?.statusSeq !== entry.statusSeq || row.executionSeq !== entry.executionSeq) return 'stale';
  }
  for (const entry of change.tasks ?? []) {
    const row = byId(world.tasks, entry.id);
    if (row?.version !== entry.version) return 'stale';
    if (entry.fence !== undefined && row.fence !== entry.fence) return 'stale';
  }
  for (const entry of change.attempts ?? []) {
    if ('new' in entry) continue;
    const row = byId(world.attempts, entry.id);
    if (row?.fence !== entry.fence) return 'fence';
    if (row.turnSeq !== entry.turnSeq || row.ended) return 'stale';
    if (entry.openTools !== undefined && row.openTools !== entry.openTools) return 'stale';
    if (entry.ifLapsed === true && row.lease === 'live') return 'stale';
  }
  return null;
}

/** A column as it is after a patch: left alone, emptied or set. */
function leaseAfter(was: Lease, moment: Moment | undefined): Lease {
  if (moment === undefined) return was;
  if (moment === null) return null;
  return moment === 'now' || moment > now ? 'live' : 'lapsed';
}

function writeSessions(after: World, change: Change): void {
  for (const { id, patch } of change.sessions ?? []) {
    const row = byId(after.sessions, id);
    if (row === undefined) continue;
    const ended = patch.endedAt === undefined ? row.ended : patch.endedAt !== null;
    const next: SessionRow = {
      ...row,
      status: patch.status === undefined ? row.status : patch.status,
      statusSeq: patch.statusSeq ?? row.statusSeq,
      executionState: patch.executionState ?? row.executionState,
      executionSeq: patch.executionSeq ?? row.executionSeq,
      currentAttemptId: patch.currentAttemptId === undefined ? row.currentAttemptId : patch.currentAttemptId,
      ended,
      hasSlot: row.hasSlot && !ended,
    };
    after.sessions = patched(after.sessions, id, next);
  }
}

function writeAttempt(after: World, entry: AttemptChange): void {
  if ('new' in entry) {
    after.attempts = [
      ...after.attempts,
      bareAttempt(entry.id, entry.new, { fence: entry.fence, doneAt: after.next++ }),
    ];
    return;
  }
  const row = byId(after.attempts, entry.id);
  if (row === undefined) return;
  const { patch } = entry;
  const next: AttemptRow = {
    ...row,
    fence: patch.fence ?? row.fence,
    workerId: patch.workerId === undefined ? row.workerId : patch.workerId,
    lease: leaseAfter(row.lease, patch.leaseExpiresAt),
    turnStatus: patch.turnStatus ?? row.turnStatus,
    turnSeq: patch.turnSeq ?? row.turnSeq,
    openTools: patch.openTools ?? row.openTools,
    startCommit: patch.startCommit === undefined ? row.startCommit : patch.startCommit,
    headCommit: patch.headCommit === undefined ? row.headCommit : patch.headCommit,
    orphanCounts: patch.orphanCounts ?? row.orphanCounts,
    doneAt: patch.doneAt === 'now' ? after.next++ : row.doneAt,
    outcome: patch.outcome === undefined ? row.outcome : patch.outcome,
    ended: row.ended || patch.endedAt === 'now',
    reserved: row.reserved && entry.free !== true,
  };
  after.attempts = patched(after.attempts, entry.id, next);
}

/** An attempt that no agent works on. */
function bareAttempt(
  id: string,
  taskId: string,
  { fence, doneAt }: { fence: number; doneAt: number },
): AttemptRow {
  return {
    ...{ id, taskId, fence, place: 1, turnStatus: 'IDLE', turnSeq: 0, openTools: 0 },
    ...{
      startCommit: null,
      headCommit: null,
      orphanCounts: false,
      sessionId: null,
      workerId: null,
      lease: null,
    },
    ...{ ended: false, outcome: null, doneAt, reserved: false },
  };
}

function writeTask(after: World, { id, patch }: NonNullable<Change['tasks']>[number]): void {
  const row = byId(after.tasks, id);
  if (row === undefined) return;
  if (row.status === 'PENDING_APPROVAL')
    after.approvals = after.approvals.filter(
      (approval) => approval.taskId !== id || approval.status !== 'waiting',
    );
  const notBefore =
    patch.notBefore === undefined ? row.notBefore : patch.notBefore === 'now' ? now : patch.notBefore;
  const status = patch.status ?? row.status;
  const next: TaskRow = {
    ...row,
    status,
    version: patch.version ?? row.version,
    fence: patch.fence ?? row.fence,
    tries: patch.tries ?? row.tries,
    grantedTries: patch.grantedTries ?? row.grantedTries,
    conflicts: patch.conflicts ?? row.conflicts,
    setbacks: patch.setbacks ?? row.setbacks,
    settled: patch.settled ?? row.settled,
    cancelRequested: patch.cancelRequested ?? row.cancelRequested,
    notBefore,
    blocked: patch.blockedOn === undefined ? row.blocked : patch.blockedOn !== null,
    continues: patch.continueFrom === undefined ? row.continues : patch.continueFrom !== null,
    claimable: status === 'OPEN' && (notBefore === null || notBefore <= now),
  };
  after.tasks = patched(after.tasks, id, next);
  if (patch.status === 'CLOSED') releaseDependents(after, id);
  if (patch.status === 'CANCELLED') cascadeCancel(after, id);
}

/** `baton_release_dependents` */
function releaseDependents(after: World, closed: string): void {
  after.tasks = after.tasks.map((task) =>
    planOf(after, task.id).waitsFor.includes(closed) ? { ...task, pending: task.pending - 1 } : task,
  );
}

/** `baton_cascade_cancel` */
function cascadeCancel(after: World, cancelled: string): void {
  for (const task of after.tasks) {
    if (!planOf(after, task.id).waitsFor.includes(cancelled) || task.settled || task.cancelRequested)
      continue;
    after.tasks = patched(after.tasks, task.id, { cancelRequested: true });
    cascadeCancel(after, task.id);
  }
}

/** A batch holds its paths until the last of its tasks has left CLAIMED, IN_PROGRESS and DONE. */
function freePaths(after: World, change: Change): void {
  const touched = new Set((change.attempts ?? []).map(({ id }) => byId(after.attempts, id)?.sessionId));
  after.sessions = after.sessions.map((session) => {
    if (session.paths.length === 0 || !touched.has(session.id)) return session;
    const held = after.attempts.some(
      (attempt) =>
        attempt.sessionId === session.id &&
        !attempt.ended &&
        ['CLAIMED', 'IN_PROGRESS', 'DONE'].includes(byId(after.tasks, attempt.taskId)?.status ?? ''),
    );
    return held ? session : { ...session, paths: [] };
  });
}

/** `renew-leases`: by the database's clock; a lapsed lease that nobody took is renewed too. */
export function renewLeases(world: World, workerId: string): World {
  const lane = world.lane.workerId === workerId ? { ...world.lane, lease: 'live' as const } : world.lane;
  const attempts = world.attempts.map((row) =>
    row.workerId === workerId && !row.ended && row.lease === 'lapsed'
      ? { ...row, lease: 'live' as const }
      : row,
  );
  return { ...world, lane, attempts };
}

/** `request-cancel` */
export function requestCancel(world: World, taskId: string): World {
  return { ...world, tasks: patched(world.tasks, taskId, { cancelRequested: true }) };
}

/** `free-held-by-worker` */
export function freeHeldByWorker(world: World, isGone: (workerId: string | null) => boolean): World {
  const attempts = world.attempts.map((row) => {
    const status = byId(world.tasks, row.taskId)?.status;
    const frees =
      row.workerId !== null &&
      isGone(row.workerId) &&
      !row.ended &&
      (status === 'DONE' || status === 'ORPHANED');
    return frees ? { ...row, workerId: null, lease: null } : row;
  });
  const free = world.lane.workerId !== null && isGone(world.lane.workerId);
  return { ...world, attempts, lane: free ? { ...world.lane, workerId: null, lease: null } : world.lane };
}

/** `free-lost-reservations`, once the deadline of the process has passed */
export function freeLostReservations(world: World): World {
  return {
    ...world,
    attempts: world.attempts.map((row) => (row.ended && row.reserved ? { ...row, reserved: false } : row)),
  };
}

/** `situation-of-tasks`, one row */
export function situationOfTask(world: World, taskId: string) {
  const task = byId(world.tasks, taskId);
  if (task === undefined) throw new Error(`no task ${taskId}`);
  const landing = world.landings.some((row) => row.taskId === taskId);
  return { now, task, attempt: openAttempt(world, taskId) ?? null, landing };
}
