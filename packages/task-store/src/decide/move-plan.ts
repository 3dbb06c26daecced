import type { AgentStatus, ExecutionState, ExecutionTrigger, TaskStatus } from '@baton/fsm-core';
import type { AttemptPatch, SessionPatch, TaskPatch } from './change.ts';
import {
  moveAgent,
  moveExecution,
  moveTask,
  moveTurn,
  overrideTask,
  type TaskMoveExtra,
  type TurnEvent,
} from './machine-moves.ts';
import {
  patchAttempt,
  patchSession,
  patchTask,
  refuse,
  startPlan,
  type Cause,
  type Mover,
  type Planned,
} from './plan-state.ts';
import type { Item, SessionState, Situation } from './situation.ts';

/** Collects the moves of one fact; each is validated by the kernel on the state that the moves before it left. */
export interface MovePlan {
  readonly planned: Planned;
  taskStatus(item: Mover): TaskStatus;
  turnStatus(item: Item): string;
  session(): SessionState | null;
  /** Moves a task along its table. */
  task(item: Mover, to: TaskStatus, extra?: TaskMoveExtra): void;
  /** One of the two declared overrides. */
  overrideTask(item: Mover, to: TaskStatus): void;
  turn(item: Item, ...events: TurnEvent[]): void;
  /** Moves the agent; to `starting` only from nothing. */
  agent(to: AgentStatus): void;
  execution(to: ExecutionState, trigger: ExecutionTrigger): void;
  patchTask(item: Mover, patch: TaskPatch): void;
  patchAttempt(item: Item, patch: AttemptPatch): void;
  patchSession(patch: SessionPatch): void;
  refuse(machine: string, from: string, what: string): void;
}

/** Starts the plan of one fact on one situation. */
export function startMoves(situation: Situation, cause: Cause): MovePlan {
  const plan = startPlan(situation, cause);
  return {
    planned: plan.planned,
    taskStatus: ({ task }) => plan.tasks.get(task.id)?.state ?? task.status,
    turnStatus: ({ attempt }) => plan.turns.get(attempt.id)?.state ?? attempt.turnStatus,
    session: () => plan.session,
    task: (item, to, extra) => moveTask(plan, item, { to, extra }),
    overrideTask: (item, to) => overrideTask(plan, item, to),
    turn: (item, ...events) => moveTurn(plan, item, events),
    agent: (to) => moveAgent(plan, to),
    execution: (to, trigger) => moveExecution(plan, to, trigger),
    patchTask: (item, patch) => patchTask(plan, item, patch),
    patchAttempt: (item, patch) => patchAttempt(plan, item, patch),
    patchSession: (patch) => patchSession(plan, patch),
    refuse: (machine, from, what) => refuse(plan, { machine, from, what }),
  };
}
