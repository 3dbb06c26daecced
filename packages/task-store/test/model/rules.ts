import { carryOn, endAttempt, goOn, move, type Ending } from './endings.ts';
import { isHeld, openAttempts, type ModelAttempt, type ModelSession, type World } from './world.ts';

/**
 * A report of an agent's holder, as the reference model takes it: whether it is possible, and what it does. Source:
 * docs/spec/kernel.md#coupled-steps.
 */
export type Rule = (world: World, attempt: ModelAttempt) => boolean;

const waiting = ['CLAIMING', 'SPAWNING'];
const atWork = ['RUNNING', 'TOOL_USE', 'COMPACTING'];
const isOn = ({ session }: ModelAttempt, attempt: ModelAttempt) => session?.current === attempt;

export function launched(session: ModelSession): boolean {
  const first = openAttempts(session).find(({ task }) => task.status === 'CLAIMED');
  if (session.status !== null || session.execution !== 'pending' || first?.turn !== 'CLAIMING') return false;
  first.turn = 'SPAWNING';
  Object.assign(session, { status: 'starting', execution: 'starting', current: first });
  return true;
}

/** The first prompt, or the next one of a batch. */
export const begins =
  (kind: 'ready' | 'next_task'): Rule =>
  (_, attempt) => {
    const { task, session } = attempt;
    const agent = kind === 'ready' ? ['starting', 'starting'] : ['working', 'idle'];
    if (session === null || task.status !== 'CLAIMED' || !waiting.includes(attempt.turn)) return false;
    if (session.status !== agent[0] || session.execution !== agent[1]) return false;
    move(task, 'IN_PROGRESS');
    Object.assign(attempt, { turn: 'RUNNING', begun: true });
    Object.assign(session, { status: 'working', execution: 'busy', current: attempt });
    task.setbacks = 0;
    return true;
  };

export const toolStarts: Rule = (_, attempt) => {
  if (attempt.turn !== 'RUNNING' && attempt.turn !== 'TOOL_USE') return false;
  attempt.turn = 'TOOL_USE';
  attempt.tools += 1;
  return true;
};

export const toolEnds: Rule = (_, attempt) => {
  if (attempt.turn !== 'RUNNING' && attempt.turn !== 'TOOL_USE') return false;
  attempt.tools = Math.max(0, attempt.tools - 1);
  if (attempt.tools === 0) attempt.turn = 'RUNNING';
  return true;
};

export const compactionStarts: Rule = (_, attempt) => {
  const { session } = attempt;
  if (session === null || session.status === 'dead') return false;
  if (!['RUNNING', 'TOOL_USE', 'VERIFYING'].includes(attempt.turn)) return false;
  if (isOn(attempt, attempt)) session.execution = 'suspended';
  Object.assign(attempt, { turn: 'COMPACTING', tools: 0 });
  return true;
};

export const compactionEnds: Rule = (_, attempt) => {
  if (attempt.turn !== 'COMPACTING') return false;
  const verifying = attempt.task.status === 'DONE';
  attempt.turn = verifying ? 'VERIFYING' : 'RUNNING';
  if (attempt.session !== null && isOn(attempt, attempt))
    attempt.session.execution = verifying ? 'idle' : 'busy';
  return true;
};

export const done: Rule = (world, attempt) => {
  const { task, session } = attempt;
  if (session === null) return false;
  if (task.status === 'CLAIMED') {
    if (session.status === null || session.status === 'dead' || session.execution === 'busy') return false;
    if (!waiting.includes(attempt.turn)) return false;
    session.status = 'working';
    if (session.execution === 'starting') session.execution = 'idle';
    session.current = attempt;
  } else if (task.status === 'IN_PROGRESS' && atWork.includes(attempt.turn)) {
    if (isOn(attempt, attempt)) session.execution = 'idle';
  } else return false;
  move(task, 'DONE');
  task.setbacks = 0;
  Object.assign(attempt, { turn: 'VERIFYING', tools: 0, begun: true, lapsed: false, doneAt: ++world.done });
  return true;
};

/** The agent leaves its task, which it holds. */
function leave(attempt: ModelAttempt): boolean {
  const { task, session } = attempt;
  if (!isHeld(task) || attempt.ended) return false;
  if (session?.current === attempt && ['busy', 'suspended'].includes(session.execution))
    session.execution = 'idle';
  return true;
}

export const fails =
  (ending: 'agent_failed' | 'timeout' | 'crashed' | 'spawn_failed'): Rule =>
  (world, attempt) => {
    if (!leave(attempt)) return false;
    const counted = goOn(world, attempt.task, { ending, via: 'FAILED' });
    endAttempt(attempt, { outcome: ending, counted });
    carryOn(world, [attempt.task]);
    return true;
  };

export const released: Rule = (world, attempt) => {
  if (!leave(attempt)) return false;
  goOn(world, attempt.task, { ending: 'released', via: 'OPEN' });
  endAttempt(attempt, { outcome: 'released' });
  carryOn(world, [attempt.task]);
  return true;
};

export const cancelled: Rule = (world, attempt) => {
  if (!leave(attempt)) return false;
  move(attempt.task, 'CANCELLED');
  Object.assign(attempt.task, { settled: true, cancel: true });
  endAttempt(attempt, { outcome: 'cancelled' });
  carryOn(world, [attempt.task]);
  return true;
};

export const blocked =
  (on: string | true): Rule =>
  (_, attempt) => {
    if (!leave(attempt)) return false;
    move(attempt.task, 'BLOCKED');
    Object.assign(attempt.task, { blockedOn: on, later: false });
    endAttempt(attempt, { outcome: 'blocked' });
    return true;
  };

export const decomposed: Rule = (_, attempt) => {
  if (!leave(attempt)) return false;
  move(attempt.task, 'WAITING_FOR_SUBTASKS');
  endAttempt(attempt, { outcome: 'decomposed' });
  return true;
};

export const setupFailed =
  (options: { retry: boolean; counted: boolean }): Rule =>
  (world, attempt) => {
    const { task, session } = attempt;
    if (task.status !== 'CLAIMED') return false;
    let { counted } = options;
    if (options.retry)
      counted = goOn(world, task, { ending: counted ? 'setup_failed_counted' : 'setup_failed', via: 'OPEN' });
    else {
      move(task, task.cancel ? 'CANCELLED' : 'FAILED');
      task.settled = true;
      if (counted) task.tries += 1;
    }
    endAttempt(attempt, { outcome: 'setup_failed', counted });
    if (session?.execution === 'pending') Object.assign(session, { execution: 'failed', ended: true });
    carryOn(world, [task]);
    return true;
  };

/** Verification outlives the process. */
function backToVerifying(attempt: ModelAttempt): void {
  if (attempt.task.status === 'DONE' && attempt.turn === 'COMPACTING') attempt.turn = 'VERIFYING';
}

/** How a session is lost that still holds attempts. */
export interface Loss {
  counts: boolean;
  /** It ended well as far as the session goes. */
  clean: boolean;
}

export function sessionLost(world: World, session: ModelSession, loss: Loss): boolean {
  if (session.status === 'dead') return false;
  const ended: ModelAttempt[] = [];
  for (const attempt of openAttempts(session)) {
    const { task } = attempt;
    if (task.status === 'CLAIMED') {
      const ending: Ending = loss.counts && attempt.turn === 'SPAWNING' ? 'spawn_failed' : 'lease_lost';
      const counted = goOn(world, task, { ending, via: 'OPEN' });
      endAttempt(attempt, { outcome: ending, counted, fence: ++task.fence });
      ended.push(attempt);
    } else if (task.status === 'IN_PROGRESS') {
      move(task, 'ORPHANED');
      Object.assign(attempt, { fence: ++task.fence, orphanCounts: loss.counts, lapsed: false });
    } else backToVerifying(attempt);
  }
  const begun = ['idle', 'busy', 'suspended'].includes(session.execution);
  if (session.status !== null) session.status = 'dead';
  if (session.execution !== 'failed') session.execution = loss.clean && begun ? 'stopped' : 'failed';
  session.ended = true;
  carryOn(
    world,
    ended.map(({ task }) => task),
  );
  return true;
}

export function batchOver(session: ModelSession): boolean {
  if (openAttempts(session).some(({ task }) => isHeld(task)) || session.status === 'dead') return false;
  for (const attempt of openAttempts(session)) backToVerifying(attempt);
  if (session.status === 'working') session.execution = 'stopped';
  else session.execution = 'failed';
  if (session.status !== null) session.status = 'dead';
  session.ended = true;
  return true;
}

/** An orphan is found finished, or worth another try. */
export const orphanSettled =
  (to: 'DONE' | 'OPEN' | 'FAILED'): Rule =>
  (world, attempt) => {
    const { task } = attempt;
    if (task.status !== 'ORPHANED') return false;
    if (to === 'DONE') {
      move(task, 'DONE');
      Object.assign(attempt, { turn: 'VERIFYING', tools: 0, doneAt: ++world.done, lapsed: false });
      return true;
    }
    const ending = attempt.orphanCounts ? 'crashed' : 'lease_lost';
    const counted = goOn(world, task, { ending, via: to });
    endAttempt(attempt, { outcome: ending, counted });
    carryOn(world, [task]);
    return true;
  };

/** The lane's "no". */
export const rejected =
  (kind: 'rejected' | 'conflict' | 'base_rejected'): Rule =>
  (world, attempt) => {
    if (attempt.task.status !== 'DONE') return false;
    const counted = goOn(world, attempt.task, { ending: kind, via: 'FAILED' });
    endAttempt(attempt, { outcome: kind, counted });
    carryOn(world, [attempt.task]);
    return true;
  };
