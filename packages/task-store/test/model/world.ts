/** What the reference model knows of an attempt. */
export interface ModelAttempt {
  id: string;
  task: ModelTask;
  session: ModelSession | null;
  number: number;
  place: number;
  /** Fence that its agent was given. */
  given: number;
  fence: number;
  turn: 'IDLE' | 'CLAIMING' | 'SPAWNING' | 'RUNNING' | 'TOOL_USE' | 'COMPACTING' | 'VERIFYING' | 'REAPED';
  tools: number;
  outcome: string | null;
  ended: boolean;
  /** Its agent worked: a start commit is known. */
  begun: boolean;
  counted: boolean;
  orphanCounts: boolean;
  lapsed: boolean;
  /** When it became DONE, in order. */
  doneAt: number;
  /** Open intent to land it. */
  landing: string | null;
}

/** What the reference model knows of a task. */
export interface ModelTask {
  id: string;
  key: string;
  parent: ModelTask | null;
  status:
    | 'PLANNED'
    | 'OPEN'
    | 'CLAIMED'
    | 'IN_PROGRESS'
    | 'DONE'
    | 'CLOSED'
    | 'FAILED'
    | 'BLOCKED'
    | 'WAITING_FOR_SUBTASKS'
    | 'CANCELLED'
    | 'ORPHANED'
    | 'PENDING_APPROVAL';
  version: number;
  fence: number;
  tries: number;
  maxRetries: number;
  granted: number;
  conflicts: number;
  setbacks: number;
  settled: boolean;
  cancel: boolean;
  waitsFor: ModelTask[];
  /** It waits until a time to come. */
  later: boolean;
  /** A task that it is blocked on, by id or key; true: a person. */
  blockedOn: string | true | null;
  attempts: ModelAttempt[];
}

/** What the reference model knows of an agent session. */
export interface ModelSession {
  id: string;
  attempts: ModelAttempt[];
  status: null | 'starting' | 'working' | 'dead';
  execution: 'pending' | 'starting' | 'idle' | 'busy' | 'suspended' | 'stopped' | 'failed';
  current: ModelAttempt | null;
  ended: boolean;
}

/** One run as the reference model has it. */
export interface World {
  runId: string;
  runStatus: 'running' | 'paused' | 'waiting' | 'stuck' | 'done' | 'failed' | 'cancelled';
  tasks: ModelTask[];
  sessions: ModelSession[];
  /** Counts what became DONE. */
  done: number;
}

export const newWorld = (runId: string): World => ({
  runId,
  runStatus: 'running',
  tasks: [],
  sessions: [],
  done: 0,
});

export const openAttempt = (task: ModelTask): ModelAttempt | undefined =>
  task.attempts.find(({ ended }) => !ended);
export const openAttempts = (session: ModelSession): ModelAttempt[] =>
  session.attempts.filter(({ ended }) => !ended);
export const isHeld = (task: ModelTask): boolean => ['CLAIMED', 'IN_PROGRESS'].includes(task.status);
export const unmet = (task: ModelTask): ModelTask[] =>
  task.waitsFor.filter(({ status }) => status !== 'CLOSED');
export const children = (world: World, task: ModelTask): ModelTask[] =>
  world.tasks.filter(({ parent }) => parent === task);

/** A run whose tasks may be claimed. */
export const isOpenRun = (world: World): boolean =>
  !['paused', 'cancelled', 'failed'].includes(world.runStatus);

/** Ready to be claimed as the head of a batch. */
export const isReady = (world: World, task: ModelTask): boolean =>
  isOpenRun(world) && task.status === 'OPEN' && !task.later && !task.cancel && unmet(task).length === 0;

export function addTask(
  world: World,
  given: Pick<ModelTask, 'id' | 'key' | 'parent' | 'maxRetries' | 'waitsFor'> & { planned: boolean },
): ModelTask {
  const { planned, ...rest } = given;
  const task: ModelTask = {
    ...rest,
    status: planned ? 'PLANNED' : 'OPEN',
    version: 0,
    fence: 0,
    tries: 0,
    granted: 0,
    conflicts: 0,
    setbacks: 0,
    settled: false,
    cancel: false,
    later: false,
    blockedOn: null,
    attempts: [],
  };
  world.tasks.push(task);
  return task;
}

/** Something to do again: a run that had ended or stood still goes on. */
export function reopen(world: World): void {
  if (['done', 'failed', 'stuck', 'waiting'].includes(world.runStatus)) world.runStatus = 'running';
}

/** What the run's status comes to, from its tasks. Source: docs/spec/store.md#runs. */
export function settleRun(world: World): void {
  const { tasks, runStatus } = world;
  const open = tasks.filter(({ settled }) => !settled);
  if (runStatus === 'cancelled' || tasks.length === 0) return;
  if (open.length > 0 && (runStatus === 'failed' || runStatus === 'paused')) return;
  if (open.length === 0) {
    const any = (status: ModelTask['status']) => tasks.some((task) => task.status === status);
    world.runStatus = any('FAILED') ? 'failed' : any('CANCELLED') ? 'cancelled' : 'done';
    return;
  }
  const moods = open.map((task) => mood(world, task, []));
  world.runStatus = moods.includes('moving') ? 'running' : moods.includes('person') ? 'waiting' : 'stuck';
}

/** What the sweep settles: a run whose status is not what its tasks say. */
export function settleAstray(world: World): void {
  const { tasks, runStatus } = world;
  const isOver = tasks.length > 0 && tasks.every(({ settled }) => settled);
  const moves = ['CLAIMED', 'IN_PROGRESS', 'ORPHANED', 'DONE'];
  const isAstray = {
    done: !isOver,
    running: isOver,
    waiting: isOver || tasks.some(({ status }) => moves.includes(status)),
    stuck: isOver || tasks.some(({ status }) => moves.includes(status)),
  };
  if (isAstray[runStatus as keyof typeof isAstray]) settleRun(world);
}

function mood(world: World, task: ModelTask, way: ModelTask[]): 'moving' | 'person' | 'retry' {
  if (task.settled) return task.status === 'CLOSED' ? 'moving' : 'retry';
  if (way.includes(task)) return 'moving';
  const next = [...way, task];
  if (task.status === 'PLANNED' || task.status === 'PENDING_APPROVAL') return 'person';
  if (task.status === 'BLOCKED') {
    if (task.blockedOn === true) return 'person';
    const other = world.tasks.find(({ id }) => id === task.blockedOn);
    return other === undefined ? 'moving' : mood(world, other, next);
  }
  if (task.status === 'WAITING_FOR_SUBTASKS') {
    const below = children(world, task).filter(({ status }) => status !== 'CLOSED');
    if (below.length === 0 || below.some(({ settled }) => settled)) return 'moving';
    const moods = below.map((child) => mood(world, child, next));
    return moods.includes('moving') ? 'moving' : moods.includes('person') ? 'person' : 'retry';
  }
  if (task.status !== 'OPEN') return 'moving';
  const moods = unmet(task).map((other) => mood(world, other, next));
  return moods.includes('retry') ? 'retry' : moods.includes('person') ? 'person' : 'moving';
}
