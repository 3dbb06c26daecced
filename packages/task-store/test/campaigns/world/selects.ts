import { assembleBatch, type BatchCandidate } from '../../../src/decide/assemble-batch.ts';
import type { EventDraft } from '../../../src/decide/change.ts';
import type { Fact } from '../../../src/model/fact.ts';
import { holdingsOf } from '../../../src/decide/check-fence.ts';
import type { Item, Situation } from '../../../src/decide/situation.ts';
import type { Holding } from '../../../src/model/task.ts';
import { byId, now, patched, planOf, type AttemptRow, type TaskRow, type World } from './rows.ts';

/** What an owner got: the world afterwards and what it holds. */
export interface Taken {
  world: World;
  holdings: (Holding & { taskId: string })[];
}

/** `situation-of-attempts` and `situation-of-session`: what a fact is decided on; null when there is no such thing. */
export function situationOf(
  world: World,
  fact: Fact | { fact: 'lease_lapsed'; sessionId: string },
): Situation | null {
  const isSession = 'sessionId' in fact;
  const named = isSession ? [] : holdingsOf([fact]).map(({ attemptId }) => attemptId);
  const attempts = isSession
    ? world.attempts.filter((row) => row.sessionId === fact.sessionId && !row.ended)
    : world.attempts.filter((row) => named.includes(row.id));
  const sessionId = isSession ? fact.sessionId : (attempts[0]?.sessionId ?? null);
  const session = sessionId === null ? null : (byId(world.sessions, sessionId) ?? null);
  if (isSession ? session === null : attempts.length === 0) return null;
  const items = attempts
    .toSorted((a, b) => a.place - b.place)
    .flatMap((attempt): Item[] => {
      const task = byId(world.tasks, attempt.taskId);
      return task === undefined ? [] : [{ task, attempt }];
    });
  return { now, session, items, others: [] };
}

/** The claim functions of sql/11-claims.sql in one: head by rank, mates by the production's `assembleBatch`, all or nothing. */
export function claim(world: World, options: { workerId: string; sessionId: string }): Taken | null {
  const isFree = (task: TaskRow) => task.status === 'OPEN' && task.claimable && !task.cancelRequested;
  const { maxAgents } = world.size;
  if (maxAgents !== null && world.sessions.filter(({ hasSlot }) => hasSlot).length >= maxAgents) return null;
  const head = world.tasks.find((task) => isFree(task) && task.pending === 0 && !pathsBusy(world, task.id));
  if (head === undefined) return null;
  const others = world.tasks.filter((task) => task.id !== head.id && isFree(task) && !task.continues);
  const ready = others.filter((task) => task.pending === 0);
  const nearby = [head.id, ...ready.map(({ id }) => id)];
  const near = others.filter(
    (task) =>
      task.pending > 0 &&
      task.pending <= 2 &&
      openDependencies(world, task).some((id) => nearby.includes(id)),
  );
  const limit = head.continues ? 1 : world.size.batchSize;
  const chosen = assembleBatch(
    { ...candidateOf(world, head), waitsFor: [] },
    [...ready, ...near].map((task) => candidateOf(world, task)),
    limit,
  );
  // A mate's paths stand in the way: the head alone still goes.
  const alone = chosen.some((id) => id !== head.id && pathsBusy(world, id));
  const taken: TaskRow[] = [];
  for (const id of alone ? [head.id] : chosen) {
    const task = byId(world.tasks, id);
    const missing = task === undefined ? [] : openDependencies(world, task);
    const inBatch = taken.map((row) => row.id);
    // Mates were only read: each is looked at again, and left out when it does not fit any more.
    if (
      task === undefined ||
      (id !== head.id && !(isFree(task) && missing.every((each) => inBatch.includes(each))))
    )
      continue;
    taken.push(task);
  }
  return takeBatch(world, taken, options);
}

function openDependencies(world: World, task: TaskRow): string[] {
  return planOf(world, task.id).waitsFor.filter((id) => byId(world.tasks, id)?.status !== 'CLOSED');
}

function candidateOf(world: World, task: TaskRow): BatchCandidate {
  return {
    id: task.id,
    files: planOf(world, task.id).files,
    scope: 'small',
    waitsFor: openDependencies(world, task),
  };
}

/** The exclusion constraint on paths; here two tasks' paths overlap when they share one. */
function pathsBusy(world: World, taskId: string): boolean {
  const files = planOf(world, taskId).files;
  return world.sessions.some(({ paths }) => paths.some((path) => files.includes(path)));
}

function takeBatch(
  world: World,
  taken: readonly TaskRow[],
  { workerId, sessionId }: { workerId: string; sessionId: string },
): Taken {
  const after: World = { ...world };
  const holdings: Taken['holdings'] = [];
  for (const [at, task] of taken.entries()) {
    const fence = task.fence + 1;
    const id = `${task.id}#${after.next++}`;
    const attempt: AttemptRow = {
      ...{ id, taskId: task.id, fence, place: at + 1, turnStatus: 'CLAIMING', turnSeq: 1, openTools: 0 },
      ...{ startCommit: null, headCommit: null, orphanCounts: false, sessionId, workerId, lease: 'live' },
      ...{ ended: false, outcome: null, doneAt: 0, reserved: true },
    };
    after.attempts = [...after.attempts, attempt];
    after.tasks = patched(after.tasks, task.id, {
      status: 'CLAIMED',
      version: task.version + 1,
      fence,
      claimable: false,
    });
    holdings.push({ attemptId: id, fence, taskId: task.id });
  }
  if (world.size.keepsHistory)
    after.history = [
      ...world.history,
      ...taken.flatMap((task, at) => claimEvents(task, holdings[at]?.attemptId ?? '')),
    ];
  after.sessions = [
    ...world.sessions,
    {
      ...{
        id: sessionId,
        runId: 'run',
        status: null,
        statusSeq: -1,
        executionState: 'pending',
        executionSeq: 0,
      },
      ...{ currentAttemptId: null, workerId, ended: false, hasSlot: world.size.maxAgents !== null },
      paths: [...new Set(taken.flatMap(({ id }) => planOf(world, id).files))],
    },
  ];
  return { world: after, holdings };
}

/** The events that the claim writes itself. */
function claimEvents(task: TaskRow, attemptId: string): EventDraft[] {
  const by = {
    version: 1,
    runId: 'run',
    taskId: task.id,
    alias: null,
    kind: 'move',
    actor: 'w',
    reason: 'claimed',
  } as const;
  const none = { transitionReason: null, abortReason: null, trigger: null, metadata: {} };
  return [
    {
      ...{ ...by, ...none, machine: 'task', entityId: task.id, seq: task.version + 1 },
      ...{ fromState: 'OPEN', toState: 'CLAIMED', event: 'claim' },
    },
    {
      ...{ ...by, ...none, machine: 'turn', entityId: attemptId, seq: 1 },
      ...{ fromState: 'IDLE', toState: 'CLAIMING', event: 'task_claimed' },
    },
  ];
}

/** `lapsed-sessions` and `silent-sessions`: what the sweeper looks at. */
export function sessionsDue(world: World): string[] {
  return world.sessions.filter((session) => isDue(world, session.id)).map(({ id }) => id);
}

function isDue(world: World, sessionId: string): boolean {
  const held = world.attempts.filter(
    (row) =>
      row.sessionId === sessionId &&
      !row.ended &&
      ['CLAIMED', 'IN_PROGRESS'].includes(byId(world.tasks, row.taskId)?.status ?? ''),
  );
  if (held.length > 0) return held.every((row) => row.workerId !== null && row.lease === 'lapsed');
  const session = byId(world.sessions, sessionId);
  const worker = world.workers.find(({ id }) => id === session?.workerId);
  return session?.ended === false && (worker === undefined || worker.silent);
}
