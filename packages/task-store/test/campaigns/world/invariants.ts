import { heldByLane } from './lane-selects.ts';
import { byId, isAlive, planOf, type AttemptRow, type TaskRow, type World } from './rows.ts';

/**
 * Which turns an attempt may be in while its task stands there. Source: docs/spec/kernel.md#coupled-steps, the rows read
 * downwards.
 */
const turnsOf: Partial<Record<TaskRow['status'], readonly string[]>> = {
  CLAIMED: ['CLAIMING', 'SPAWNING'],
  IN_PROGRESS: ['RUNNING', 'TOOL_USE', 'COMPACTING'],
  ORPHANED: ['RUNNING', 'TOOL_USE', 'COMPACTING'],
  DONE: ['VERIFYING', 'COMPACTING', 'IDLE'],
  PENDING_APPROVAL: ['VERIFYING', 'COMPACTING', 'IDLE'],
};

/** Which executions an agent may show. Source: docs/spec/kernel.md#coupled-steps: execution is a projection of agent × turn. */
const executionsOf: Readonly<Record<string, readonly string[]>> = {
  nothing: ['pending', 'failed'],
  starting: ['starting'],
  working: ['idle', 'busy', 'suspended'],
  idle: ['idle', 'suspended'],
  dead: ['stopped', 'failed'],
};

/** What must not be in any world, one sentence each. */
export function violations(world: World): string[] {
  return [
    ...world.tasks.flatMap((task) => [...taskProblems(world, task), ...effectProblems(world, task)]),
    ...world.attempts.flatMap((row) => attemptProblems(world, row)),
    ...world.sessions.flatMap((session) => sessionProblems(world, session)),
    ...holderProblems(world),
    ...cleanUpProblems(world),
  ];
}

function taskProblems(world: World, task: TaskRow): string[] {
  const open = world.attempts.filter((row) => row.taskId === task.id && !row.ended);
  const [attempt] = open;
  const name = `${task.id} (${task.status})`;
  const found: string[] = [];
  if (open.length > 1) found.push(`${name} has ${open.length} open attempts`);
  const turns = turnsOf[task.status];
  if (turns === undefined && attempt !== undefined) found.push(`${name} has an open attempt`);
  if (turns !== undefined && attempt === undefined)
    found.push(`${name} has no open attempt: nobody moves it`);
  if (turns !== undefined && attempt !== undefined && !turns.includes(attempt.turnStatus))
    found.push(`${name} with its turn in ${attempt.turnStatus}`);
  if (task.settled !== ['CLOSED', 'CANCELLED', 'FAILED'].includes(task.status))
    found.push(`${name} is ${task.settled ? '' : 'not '}settled`);
  if (task.tries > 1 + task.maxRetries + task.grantedTries) found.push(`${name} has had ${task.tries} tries`);
  if (task.tries !== task.tally.tries)
    found.push(`${name} counts ${task.tries} tries, not ${task.tally.tries}`);
  return [...found, ...ownerProblems(world, task, attempt).map((what) => `${name} ${what}`)];
}

/** No task without an owner, a timer or a stated reason. */
function ownerProblems(world: World, task: TaskRow, attempt: AttemptRow | undefined): string[] {
  switch (task.status) {
    case 'OPEN': {
      const missing = planOf(world, task.id).waitsFor.filter(
        (id) => byId(world.tasks, id)?.status !== 'CLOSED',
      );
      if (missing.length !== task.pending)
        return [`waits for ${task.pending} tasks, of which ${missing.length} are open`];
      return task.claimable || task.notBefore !== null ? [] : ['is neither claimable nor waits for a time'];
    }
    case 'CLAIMED':
    case 'IN_PROGRESS':
      if (task.blocked) return ['says still what it waited for'];
      return attempt === undefined || attempt.workerId === null || attempt.lease === null
        ? ['has no holder with a lease']
        : [];
    case 'DONE': {
      if (task.setbacks > 0) return [`remembers ${task.setbacks} spawn errors before its work`];
      if (attempt?.turnStatus !== 'COMPACTING') return [];
      const session = byId(world.sessions, attempt.sessionId ?? '');
      return session?.ended === false ? [] : ['waits for a compaction that nobody ends'];
    }
    case 'PENDING_APPROVAL': {
      if (!world.approvals.some((row) => row.taskId === task.id && row.status === 'waiting'))
        return ['waits for nobody'];
      return (attempt?.workerId ?? null) === null ? [] : ['holds a lease while a person is asked'];
    }
    case 'BLOCKED':
      // Agents block here until a time.
      return task.blocked && task.notBefore !== null ? [] : ['says not what it waits for'];
    case 'CANCELLED':
      return task.cancelRequested ? [] : ['was never asked to be'];
    case 'PLANNED':
    case 'CLOSED':
    case 'FAILED':
    case 'ORPHANED':
    case 'WAITING_FOR_SUBTASKS':
      return [];
    default:
      return task.status satisfies never;
  }
}

/** Landed exactly once, and only what landed is CLOSED. */
function effectProblems(world: World, task: TaskRow): string[] {
  const effects = world.git.effects[task.id] ?? 0;
  const under = world.landings.some(({ id, taskId }) => taskId === task.id && world.git.moved.includes(id));
  if (effects > 1) return [`${task.id} landed ${effects} times`];
  if (task.status === 'CLOSED' && effects !== 1) return [`${task.id} is CLOSED and never landed`];
  if (task.status !== 'CLOSED' && effects > 0 && !under) return [`${task.id} landed and is ${task.status}`];
  if (under && task.status !== 'DONE') return [`${task.id} is landing and ${task.status}`];
  return [];
}

function attemptProblems(world: World, row: AttemptRow): string[] {
  const task = byId(world.tasks, row.taskId);
  const name = `attempt ${row.id}`;
  if (row.ended) {
    const closed = row.turnStatus === 'REAPED' || row.turnStatus === 'IDLE';
    return [
      ...(closed ? [] : [`${name} is over with its turn in ${row.turnStatus}`]),
      ...(row.openTools === 0 ? [] : [`${name} is over with ${row.openTools} tools open`]),
      ...(row.lease === null && row.workerId === null ? [] : [`${name} is over and holds a lease`]),
    ];
  }
  const session = byId(world.sessions, row.sessionId ?? '');
  const agent = session?.status ?? 'nothing';
  const found: string[] = [];
  if (row.fence !== task?.fence) found.push(`${name} has fence ${row.fence}, its task ${task?.fence ?? '–'}`);
  if ((row.lease === null) !== (row.workerId === null))
    found.push(`${name} has a lease without a holder, or the reverse`);
  if (row.turnStatus === 'TOOL_USE' && row.openTools === 0)
    found.push(`${name} uses a tool, and none is open`);
  if (row.turnStatus !== 'TOOL_USE' && row.openTools > 0)
    found.push(`${name} has ${row.openTools} tools open in ${row.turnStatus}`);
  if (task?.status === 'IN_PROGRESS' && agent !== 'working')
    found.push(`${name} is in progress and its agent ${agent}`);
  if (task?.status === 'ORPHANED' && agent !== 'dead')
    found.push(`${name} is an orphan and its agent ${agent}`);
  if (task?.status === 'CLAIMED' && agent === 'dead') found.push(`${name} is claimed and its agent dead`);
  if (row.turnStatus === 'SPAWNING' && agent !== 'starting')
    found.push(`${name} is spawning and its agent ${agent}`);
  if (task?.status === 'DONE' && row.sessionId !== null && row.headCommit === null)
    found.push(`${name} is done and has no head`);
  return [...found, ...onItProblems(world, row, name)];
}

/** While its agent is on it, execution shows what the turn does. */
function onItProblems(world: World, row: AttemptRow, name: string): string[] {
  const session = byId(world.sessions, row.sessionId ?? '');
  if (session?.currentAttemptId !== row.id || session.status !== 'working') return [];
  const expected =
    row.turnStatus === 'COMPACTING'
      ? 'suspended'
      : ['RUNNING', 'TOOL_USE'].includes(row.turnStatus)
        ? 'busy'
        : 'idle';
  return session.executionState === expected
    ? []
    : [`${name} is ${row.turnStatus} and its execution ${session.executionState}`];
}

function sessionProblems(world: World, session: World['sessions'][number]): string[] {
  const agent = session.status ?? 'nothing';
  const name = `session ${session.id}`;
  const found: string[] = [];
  if (executionsOf[agent]?.includes(session.executionState) !== true)
    found.push(`${name}: agent ${agent} with execution ${session.executionState}`);
  const over = session.executionState === 'stopped' || session.executionState === 'failed';
  if (over !== session.ended)
    found.push(`${name} is ${session.executionState} and ${session.ended ? 'ended' : 'not ended'}`);
  if (session.ended && session.hasSlot) found.push(`${name} is over and holds a slot`);
  return found;
}

/** Of all that live, at most one may write for a task; and whoever renews keeps its lease. */
function holderProblems(world: World): string[] {
  const holders = new Map<string, string[]>();
  for (const { id, job } of world.workers) {
    const held = job === null ? [] : job.kind === 'lane' ? heldByLane(job) : job.holdings;
    for (const { attemptId, fence, taskId } of held) {
      const row = byId(world.attempts, attemptId);
      if (row?.fence !== fence || row.ended || row.workerId !== id) continue;
      holders.set(taskId, [...(holders.get(taskId) ?? []), id]);
    }
  }
  return [...holders].flatMap(([taskId, ids]) =>
    ids.length > 1 ? [`${ids.join(' and ')} both hold ${taskId}`] : [],
  );
}

/** What is held by something that has ended, or that the dead took with them. */
function cleanUpProblems(world: World): string[] {
  const holdsPaths = ['CLAIMED', 'IN_PROGRESS', 'DONE'];
  const found: string[] = [];
  for (const { id, paths } of world.sessions) {
    const held = world.attempts.some(
      (row) =>
        row.sessionId === id &&
        !row.ended &&
        holdsPaths.includes(byId(world.tasks, row.taskId)?.status ?? ''),
    );
    if (paths.length > 0 && !held) found.push(`session ${id} holds paths and no task`);
  }
  for (const { id, silent } of world.workers)
    if (silent && !isAlive(world, id)) found.push(`${id} is silent and dead`);
  return found;
}
