import { heldByLane } from './lane-selects.ts';
import type { Change } from '../../../src/decide/change.ts';
import { byId, now, type AttemptRow, type Message, type Worker, type World } from './rows.ts';

/** Differences beyond this are alike: versions and fences only grow, so that what is behind stays behind. */
const farBehind = 3;
const mostConflicts = 7;
const mostSetbacks = 3;
const behind = (newest: number, own: number) => Math.max(-1, Math.min(newest - own, farBehind));

/**
 * Equal for worlds that behave alike. Ids are replaced by places, versions, sequences and fences by how far they lie behind, times by
 * whether they have come; workers stand in the order of what they do, since none is more than its rows and its job.
 */
export function keyOf(world: World): string {
  const names = nameAll(world);
  const tasks = world.tasks.map((task) =>
    [
      ...[task.status, task.tries, task.grantedTries, Math.min(task.conflicts, mostConflicts)],
      ...[Math.min(task.setbacks, mostSetbacks), Math.min(task.tally.spawnFailures, mostSetbacks)],
      ...[task.pending, task.confirmed, world.git.effects[task.id] ?? 0, dueOf(task.notBefore)],
      flags(task.cancelRequested, task.claimable, task.settled, task.blocked, task.continues),
    ].join(','),
  );
  const attempts = ordered(world, names).map((row) => attemptKey(world, row, names));
  const sessions = world.sessions.map((row) =>
    [
      ...[
        names(row.id),
        row.status ?? '-',
        row.executionState,
        names(row.currentAttemptId),
        owner(world, row.workerId),
      ],
      ...[flags(row.ended, row.hasSlot), row.paths.join('+')],
    ].join(','),
  );
  const waited = new Set(world.workers.map(({ waitsFor }) => waitsFor));
  const flight = world.flight
    .filter(({ id }) => !waited.has(id))
    .map((message) => messageKey(world, message, names));
  const { lane, git, left, sweeper } = world;
  const shared = [
    ...[lane.lease ?? '-', owner(world, lane.workerId), behind(lane.epoch, git.laneEpoch)],
    ...world.landings.map(({ attemptId, id }) => `${names(attemptId)}${git.moved.includes(id) ? '!' : ''}`),
    ...world.approvals.map(({ attemptId, status }) => `${names(attemptId)}${status}`),
    ...[left.crashes, left.duplicates, left.delays, left.all, left.cancels],
    ...[sweeper.window.last ?? '-', sweeper.window.quietUntil, sweeper.now],
  ].join(',');
  const workers = world.workers.map((worker) => workerKey(world, worker, names)).sort();
  return [
    tasks.join(';'),
    attempts.join(';'),
    sessions.sort().join(';'),
    shared,
    flight.sort().join(';'),
    workers.join(';'),
  ].join('|');
}

const flags = (...all: boolean[]) => all.map((each) => (each ? 1 : 0)).join('');

function dueOf(notBefore: Date | null): string {
  return notBefore === null ? '-' : notBefore > now ? 'later' : 'due';
}

type Names = (id: string | null) => string;

/** Attempts by task and age, sessions by their first attempt, intents by their attempt. */
function nameAll(world: World): Names {
  const names = new Map<string, string>();
  for (const task of world.tasks) {
    const mine = world.attempts.filter(({ taskId }) => taskId === task.id);
    for (const [at, { id }] of mine.entries()) names.set(id, `${task.id}.${at}`);
  }
  let sessions = 0;
  for (const row of ordered(world, (id) => names.get(id ?? '') ?? ''))
    if (row.sessionId !== null && !names.has(row.sessionId)) names.set(row.sessionId, `s${sessions++}`);
  for (const { id } of world.sessions) if (!names.has(id)) names.set(id, `s${sessions++}`);
  return (id) => (id === null ? '-' : (names.get(id) ?? 'gone'));
}

function ordered(world: World, names: Names): AttemptRow[] {
  return world.attempts.toSorted((a, b) => (names(a.id) < names(b.id) ? -1 : 1));
}

/** Nobody's, a dead process's, or a living one's: which one stands with the worker. */
function owner(world: World, workerId: string | null): string {
  if (workerId === null) return '-';
  return world.workers.some(({ id }) => id === workerId) ? 'w' : 'x';
}

function attemptKey(world: World, row: AttemptRow, names: Names): string {
  const task = byId(world.tasks, row.taskId);
  const before = world.attempts.filter(({ doneAt }) => doneAt > 0 && doneAt < row.doneAt).length;
  return [
    ...[names(row.id), row.place, names(row.sessionId), row.turnStatus, row.openTools, row.lease ?? '-'],
    ...[owner(world, row.workerId), behind(task?.fence ?? 0, row.fence), row.doneAt === 0 ? '-' : before],
    ...[row.outcome ?? '-', row.startCommit ?? '-', row.headCommit ?? '-'],
    flags(row.ended, row.reserved, row.orphanCounts),
  ].join(',');
}

function holdingKey(world: World, holding: { attemptId: string; fence: number }, names: Names): string {
  const row = byId(world.attempts, holding.attemptId);
  return `${names(holding.attemptId)}${row === undefined ? '?' : behind(row.fence, holding.fence)}`;
}

function workerKey(world: World, worker: Worker, names: Names): string {
  const { id, job } = worker;
  const message = world.flight.find((each) => each.id === worker.waitsFor);
  const owns = [
    ...world.attempts.filter(({ workerId }) => workerId === id).map((row) => names(row.id)),
    ...world.sessions.filter(({ workerId }) => workerId === id).map((row) => names(row.id)),
    ...(world.lane.workerId === id ? ['lane'] : []),
  ].sort();
  const parts = [
    flags(worker.silent),
    owns.join('+'),
    message === undefined ? '' : messageKey(world, message, names),
  ];
  if (job === null) return parts.join(',');
  if (job.kind === 'batch')
    parts.push(
      names(job.sessionId),
      job.phase,
      String(job.at),
      ...job.holdings.map((each) => holdingKey(world, each, names)),
    );
  else if (job.kind === 'orphans')
    parts.push('orphans', ...job.holdings.map((each) => holdingKey(world, each, names)));
  else {
    parts.push('lane', job.phase, String(behind(world.lane.epoch, job.epoch)));
    for (const holding of heldByLane(job)) parts.push(holdingKey(world, holding, names));
    for (const id of job.intents) parts.push(byId(world.landings, id) === undefined ? 'gone' : 'open');
    if (job.landingId !== null)
      parts.push(byId(world.landings, job.landingId) === undefined ? 'gone' : 'open');
  }
  return parts.join(',');
}

function messageKey(world: World, { fact, commandId, change }: Message, names: Names): string {
  const parts: string[] = [fact.fact];
  if ('holding' in fact) parts.push(holdingKey(world, fact.holding, names));
  if ('holdings' in fact) parts.push(...fact.holdings.map((each) => holdingKey(world, each, names)));
  if ('sessionId' in fact) parts.push(names(fact.sessionId));
  for (const field of ['kind', 'outcome', 'to', 'retry', 'counted', 'ofItself', 'abortReason'] as const)
    if (field in fact) parts.push(String((fact as Record<string, unknown>)[field]));
  parts.push(commandId === null ? '-' : world.commands.includes(commandId) ? 'had' : 'new');
  if (change !== null) parts.push(...changeKey(world, change, names));
  return parts.join(':');
}

/** A change that waits to be written: how far each row has gone since, and what it would set, counted from there. */
function changeKey(world: World, change: Change, names: Names): string[] {
  const from = (patch: object, base: Readonly<Record<string, number>>) =>
    JSON.stringify(patch, (key, value: unknown) =>
      typeof value === 'number' && key in base
        ? Math.max(-farBehind, Math.min(value - (base[key] ?? 0), farBehind))
        : key.endsWith('Id') && typeof value === 'string'
          ? names(value)
          : value,
    );
  return [
    ...(change.tasks ?? []).map((entry) => {
      const row = byId(world.tasks, entry.id);
      const base = { version: entry.version, fence: row?.fence ?? 0 };
      return `${entry.id}${behind(row?.version ?? 0, entry.version)}${from(entry.patch, base)}`;
    }),
    ...(change.attempts ?? []).map((entry) => {
      if ('new' in entry) return `new ${entry.new}`;
      const row = byId(world.attempts, entry.id);
      const moved = `${behind(row?.fence ?? 0, entry.fence)}${behind(row?.turnSeq ?? 0, entry.turnSeq)}${entry.openTools ?? ''}`;
      return `${names(entry.id)}${moved}${from(entry.patch, { fence: entry.fence, turnSeq: entry.turnSeq })}`;
    }),
    ...(change.sessions ?? []).map((entry) => {
      const row = byId(world.sessions, entry.id);
      const moved = `${behind(row?.statusSeq ?? 0, entry.statusSeq)}${behind(row?.executionSeq ?? 0, entry.executionSeq)}`;
      return `${names(entry.id)}${moved}${from(entry.patch, { statusSeq: entry.statusSeq, executionSeq: entry.executionSeq })}`;
    }),
  ];
}
