import type {
  AbortReason,
  Decision,
  Snapshot,
  TaskStatus,
  TransitionReason,
  TurnState,
} from '@baton/fsm-core';
import type { AttemptPatch, EventDraft, SessionPatch, TaskPatch } from './change.ts';
import type { Item, SessionState, Situation } from './situation.ts';

/** Why all moves of one fact happen. */
export interface Cause {
  actor: string;
  reason: string;
  transitionReason?: TransitionReason | undefined;
  abortReason?: AbortReason | undefined;
}

/** What the moves of one fact come to, or the first move that the kernel refused. */
export interface Planned {
  refused: { machine: string; from: string; what: string } | null;
  events: EventDraft[];
  tasks: Map<string, TaskPatch>;
  attempts: Map<string, AttemptPatch>;
  session: SessionPatch | null;
}

/** A task, whatever is known of its attempt. */
export type Mover = Pick<Item, 'task'>;

/** A plan in the making: what it comes to so far, and each machine as the moves before left it. */
export interface PlanState {
  readonly cause: Cause;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly planned: Planned;
  /** By id of the task. */
  readonly tasks: Map<string, Snapshot<TaskStatus, undefined>>;
  /** By id of the attempt. */
  readonly turns: Map<string, Snapshot<TurnState, undefined>>;
  session: SessionState | null;
}

/** A plan without moves. */
export function startPlan(situation: Situation, cause: Cause): PlanState {
  const tasks: PlanState['tasks'] = new Map();
  const turns: PlanState['turns'] = new Map();
  for (const { task, attempt } of situation.items) {
    tasks.set(task.id, { entityId: task.id, state: task.status, seq: task.version, context: undefined });
    const { id, turnStatus, turnSeq } = attempt;
    turns.set(id, { entityId: id, state: turnStatus, seq: turnSeq, context: undefined });
  }
  for (const { id, status, version } of situation.others)
    tasks.set(id, { entityId: id, state: status, seq: version, context: undefined });
  return {
    cause,
    at: situation.now.getTime(),
    planned: { refused: null, events: [], tasks: new Map(), attempts: new Map(), session: null },
    tasks,
    turns,
    session: situation.session,
  };
}

/** A move that is asked for: of which machine, whose, from which state, to what. */
export interface Asked {
  machine: EventDraft['machine'];
  runId: string;
  taskId: string | null;
  from: string;
  what: string;
}

/** Takes the kernel's decision over: its event, or the refusal. The snapshot after the move, or null. */
export function take<S extends string, C>(
  plan: PlanState,
  decision: Decision<S, string, C>,
  asked: Asked,
): Snapshot<S, C> | null {
  if (!decision.ok) {
    refuse(plan, asked);
    return null;
  }
  const { record } = decision;
  plan.planned.events.push({
    machine: asked.machine,
    version: record.version,
    entityId: record.entityId,
    runId: asked.runId,
    taskId: asked.taskId,
    seq: record.seq,
    fromState: record.from,
    toState: record.to,
    event: record.event,
    alias: record.alias ?? null,
    kind: record.kind === 'override' ? 'override' : 'move',
    actor: record.actor,
    reason: record.reason,
    transitionReason: record.transitionReason ?? null,
    abortReason: record.abortReason ?? null,
    trigger: record.trigger ?? null,
    metadata: record.metadata,
    cause: plan.cause,
  });
  return decision.snapshot;
}

/** Keeps the first refusal. */
export function refuse(
  { planned }: PlanState,
  { machine, from, what }: NonNullable<Planned['refused']>,
): void {
  planned.refused ??= { machine, from, what };
}

/** Sets columns of a task. */
export function patchTask({ planned }: PlanState, { task }: Mover, patch: TaskPatch): void {
  planned.tasks.set(task.id, { ...planned.tasks.get(task.id), ...patch });
}

/** Sets columns of an attempt. */
export function patchAttempt({ planned }: PlanState, { attempt }: Item, patch: AttemptPatch): void {
  planned.attempts.set(attempt.id, { ...planned.attempts.get(attempt.id), ...patch });
}

/** Sets columns of the session. */
export function patchSession({ planned }: PlanState, patch: SessionPatch): void {
  planned.session = { ...planned.session, ...patch };
}
