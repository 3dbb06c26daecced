import {
  children,
  isHeld,
  openAttempt,
  unmet,
  type ModelAttempt,
  type ModelTask,
  type World,
} from './world.ts';

/** A step of a task: one event, one version. */
export function move(task: ModelTask, ...states: ModelTask['status'][]): void {
  for (const status of states) {
    task.status = status;
    task.version += 1;
  }
}

/** How a try can end without its work being taken. */
export type Ending =
  | 'rejected'
  | 'conflict'
  | 'base_rejected'
  | 'agent_failed'
  | 'crashed'
  | 'timeout'
  | 'spawn_failed'
  | 'setup_failed'
  | 'setup_failed_counted'
  | 'released'
  | 'lease_lost';

const charged = ['rejected', 'conflict', 'base_rejected', 'agent_failed', 'crashed', 'timeout', 'lease_lost'];

function familyOf(world: World, task: ModelTask): ModelTask[] {
  let root = task;
  while (root.parent !== null) root = root.parent;
  const below = (each: ModelTask): ModelTask[] => [each, ...children(world, each).flatMap(below)];
  return below(root);
}

/** Attempts that the work used up, and how many it may. Source: docs/spec/agents.md#completion-budget. */
export function lineage(world: World, task: ModelTask): { spent: number; limit: number } {
  const family = familyOf(world, task);
  const root = family[0] ?? task;
  const attempts = family.flatMap((each) => each.attempts);
  const spent = attempts.filter(({ begun, outcome }) => begun && charged.includes(outcome ?? '')).length;
  const granted = family.reduce((sum, each) => sum + each.granted, 0);
  return { spent, limit: Math.max(10, 5 * (1 + root.maxRetries)) + granted };
}

/** Goes on after a try: back to OPEN while tries are left, else FAILED for good. Source: docs/spec/store.md#which-tries-count. */
export function goOn(
  world: World,
  task: ModelTask,
  { ending, via }: { ending: Ending; via: 'OPEN' | 'FAILED' },
): boolean {
  if (task.cancel) {
    const cancellable = ['CLAIMED', 'IN_PROGRESS', 'OPEN', 'BLOCKED', 'WAITING_FOR_SUBTASKS'].includes(
      task.status,
    );
    move(task, cancellable ? 'CANCELLED' : 'FAILED');
    task.settled = true;
    return false;
  }
  let counted = ['rejected', 'agent_failed', 'crashed', 'timeout', 'setup_failed_counted'].includes(ending);
  if (ending === 'conflict') counted = ++task.conflicts > 5;
  if (ending === 'spawn_failed') counted = task.setbacks + 1 >= 3;
  if (['setup_failed', 'spawn_failed'].includes(ending)) task.setbacks += 1;
  if (counted) {
    task.tries += 1;
    if (ending !== 'conflict') task.setbacks = 0;
  }
  if (ending === 'conflict' && counted) task.setbacks = 0;
  const { spent, limit } = lineage(world, task);
  const over = charged.includes(ending) && spent + 1 >= limit;
  if ((counted && task.tries >= 1 + task.maxRetries + task.granted) || over) {
    move(task, 'FAILED');
    task.settled = true;
    task.later = false;
    return counted;
  }
  task.later = [
    'agent_failed',
    'crashed',
    'timeout',
    'setup_failed',
    'setup_failed_counted',
    'spawn_failed',
  ].includes(ending);
  if (via === 'FAILED') move(task, 'FAILED');
  move(task, 'OPEN');
  return counted;
}

export function endAttempt(attempt: ModelAttempt, patch: Partial<ModelAttempt> & { outcome: string }): void {
  if (attempt.turn !== 'IDLE') attempt.turn = 'REAPED';
  Object.assign(attempt, { ended: true, tools: 0, lapsed: false }, patch);
}

/** All that an end brings about: cancels go down, parents move, what waited for it is unblocked. */
export function carryOn(world: World, tasks: ModelTask[]): void {
  for (const task of tasks) {
    if (task.status === 'CANCELLED') cancelBelow(world, task);
  }
  for (const task of tasks) if (task.settled && task.parent !== null) settleParent(world, task.parent);
  for (const task of tasks) if (task.status === 'CLOSED') unblockWaiting(world, task);
}

function cancelBelow(world: World, cancelled: ModelTask): void {
  const seen = new Set([cancelled]);
  const todo = [cancelled];
  const asked: ModelTask[] = [];
  for (let each = todo.shift(); each !== undefined; each = todo.shift()) {
    const at = each;
    const next = world.tasks.filter((task) => task.parent === at || unmet(task).includes(at));
    for (const task of next.filter((other) => !seen.has(other))) {
      seen.add(task);
      todo.push(task);
      if (task.settled || task.cancel) continue;
      task.cancel = true;
      asked.push(task);
    }
  }
  cancelIdle(world, asked);
}

/** Cancels those that nobody holds, all in one change. */
export function cancelIdle(world: World, asked: ModelTask[]): ModelTask[] {
  const moved = asked.filter((task) => cancelOne(task));
  carryOn(world, moved);
  return moved;
}

function cancelOne(task: ModelTask): boolean {
  const attempt = openAttempt(task);
  if (!task.cancel || task.settled || isHeld(task) || (attempt !== undefined && attempt.landing !== null))
    return false;
  if (['PLANNED', 'OPEN', 'BLOCKED', 'WAITING_FOR_SUBTASKS'].includes(task.status)) {
    move(task, 'CANCELLED');
    Object.assign(task, { settled: true, later: false, blockedOn: null });
    return true;
  }
  if (attempt === undefined || !['DONE', 'PENDING_APPROVAL', 'ORPHANED'].includes(task.status)) return false;
  if (task.status === 'PENDING_APPROVAL') move(task, 'DONE');
  move(task, 'FAILED');
  task.settled = true;
  task.fence += 1;
  endAttempt(attempt, { outcome: 'cancelled', fence: task.fence });
  return true;
}

/** All children CLOSED: DONE, under an attempt that no agent works on; one lost: BLOCKED, naming it. */
export function settleParent(world: World, parent: ModelTask): void {
  if (parent.status !== 'WAITING_FOR_SUBTASKS') return;
  const below = children(world, parent);
  const lost = below.find((child) => child.settled && child.status !== 'CLOSED');
  if (lost !== undefined) {
    move(parent, 'BLOCKED');
    parent.blockedOn = lost.id;
  } else if (below.every(({ status }) => status === 'CLOSED')) {
    move(parent, 'DONE');
    parent.fence += 1;
    parent.attempts.push({
      ...{ id: '', task: parent, session: null, number: parent.attempts.length + 1, place: 1 },
      ...{ given: parent.fence, fence: parent.fence, turn: 'IDLE', tools: 0, outcome: null, ended: false },
      ...{
        begun: false,
        counted: false,
        orphanCounts: false,
        lapsed: false,
        doneAt: ++world.done,
        landing: null,
      },
    });
  }
}

function unblockWaiting(world: World, closed: ModelTask): void {
  for (const task of world.tasks) {
    if (task.status !== 'BLOCKED' || (task.blockedOn !== closed.id && task.blockedOn !== closed.key))
      continue;
    move(task, 'OPEN');
    Object.assign(task, { blockedOn: null, later: false });
  }
}
