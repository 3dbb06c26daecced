import {
  agentMachine,
  decide,
  executionMachine,
  moveTo,
  override,
  taskMachine,
  turnMachine,
  type AgentStatus,
  type Decision,
  type ExecutionState,
  type ExecutionTrigger,
  type TaskStatus,
  type TransitionReason,
} from '@baton/fsm-core';
import {
  patchAttempt,
  patchSession,
  patchTask,
  refuse,
  take,
  type Mover,
  type PlanState,
} from './plan-state.ts';
import type { Item, SessionState } from './situation.ts';

// One function for each of the four machines. After a refusal they do nothing: a refused plan is applied not at all.

/** Events of the turn machine that facts bring about. */
export type TurnEvent =
  | 'agent_spawned'
  | 'tool_started'
  | 'tool_completed'
  | 'compact_needed'
  | 'verify_requested'
  | 'compact_completed'
  | 'task_completed'
  | 'task_failed'
  | 'agent_reaped'
  | 'task_claimed';

/** What a move of a task says besides its cause. */
export interface TaskMoveExtra {
  transitionReason?: TransitionReason;
  metadata?: Record<string, unknown>;
}

/** Moves a task along its table. */
export function moveTask(
  plan: PlanState,
  item: Mover,
  { to, extra }: { to: TaskStatus; extra: TaskMoveExtra | undefined },
): void {
  const snapshot = plan.tasks.get(item.task.id);
  if (plan.planned.refused !== null || snapshot === undefined) return;
  const input = { ...plan.cause, ...extra, at: plan.at };
  settleTask(plan, item, { from: snapshot.state, to, decision: moveTo(taskMachine, snapshot, to, input) });
}

/** Moves a task by one of the two declared overrides. */
export function overrideTask(plan: PlanState, item: Mover, to: TaskStatus): void {
  const snapshot = plan.tasks.get(item.task.id);
  if (plan.planned.refused !== null || snapshot === undefined) return;
  const input = { ...plan.cause, at: plan.at };
  settleTask(plan, item, { from: snapshot.state, to, decision: override(taskMachine, snapshot, to, input) });
}

function settleTask(
  plan: PlanState,
  item: Mover,
  { from, to, decision }: { from: string; to: string; decision: Decision<TaskStatus, string, undefined> },
): void {
  const { id, runId } = item.task;
  const next = take(plan, decision, { machine: 'task', runId, taskId: id, from, what: to });
  if (next === null) return;
  plan.tasks.set(id, next);
  patchTask(plan, item, { status: next.state, version: next.seq });
}

/** Moves a turn by one event after the other. */
export function moveTurn(plan: PlanState, item: Item, events: readonly TurnEvent[]): void {
  const { task, attempt } = item;
  for (const type of events) {
    const snapshot = plan.turns.get(attempt.id);
    if (plan.planned.refused !== null || snapshot === undefined) return;
    const next = take(plan, decide(turnMachine, snapshot, { ...plan.cause, at: plan.at, type }), {
      machine: 'turn',
      runId: task.runId,
      taskId: task.id,
      from: snapshot.state,
      what: type,
    });
    if (next === null) return;
    plan.turns.set(attempt.id, next);
    patchAttempt(plan, item, { turnStatus: next.state, turnSeq: next.seq });
  }
}

/** Moves the agent; to `starting` only from nothing. */
export function moveAgent(plan: PlanState, to: AgentStatus): void {
  const { session } = plan;
  if (plan.planned.refused !== null || session === null) return;
  const statusSeq = stepAgent(plan, session, to);
  if (statusSeq === null) return;
  plan.session = { ...session, status: to, statusSeq };
  patchSession(plan, { status: to, statusSeq });
}

/** Takes the agent to a state: the `seq` of its event, or null. */
function stepAgent(plan: PlanState, session: SessionState, to: AgentStatus): number | null {
  const { id, runId, status: state, statusSeq: seq } = session;
  if (state === null) return createAgent(plan, session, to);
  const snapshot = { entityId: id, state, seq, context: undefined };
  const decision = moveTo(agentMachine, snapshot, to, { ...plan.cause, at: plan.at });
  const next = take(plan, decision, { machine: 'agent', runId, taskId: null, from: state, what: to });
  return next === null ? null : next.seq;
}

function createAgent(plan: PlanState, { id, runId }: SessionState, to: AgentStatus): number | null {
  if (to !== 'starting') {
    refuse(plan, { machine: 'agent', from: 'nothing', what: to });
    return null;
  }
  plan.planned.events.push({
    machine: 'agent',
    version: agentMachine.version,
    entityId: id,
    runId,
    taskId: null,
    seq: 0,
    fromState: null,
    toState: 'starting',
    event: 'created',
    alias: null,
    kind: 'created',
    actor: plan.cause.actor,
    reason: plan.cause.reason,
    transitionReason: null,
    abortReason: null,
    trigger: null,
    metadata: {},
    cause: plan.cause,
  });
  return 0;
}

/** Moves the execution of the session. */
export function moveExecution(plan: PlanState, to: ExecutionState, trigger: ExecutionTrigger): void {
  const { session } = plan;
  if (plan.planned.refused !== null || session === null) return;
  const { id, runId, executionState: state, executionSeq: seq } = session;
  const snapshot = { entityId: id, state, seq, context: undefined };
  const decision = moveTo(executionMachine, snapshot, to, { ...plan.cause, trigger, at: plan.at });
  const next = take(plan, decision, { machine: 'execution', runId, taskId: null, from: state, what: to });
  if (next === null) return;
  plan.session = { ...session, executionState: to, executionSeq: next.seq };
  patchSession(plan, { executionState: to, executionSeq: next.seq });
}
